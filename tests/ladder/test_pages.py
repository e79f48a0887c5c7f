"""What the pages of a ladder tell."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.ladder import pages as ladder_pages
from arena.ladder.folder import Ladder, open_ladder
from arena.ladder.models import NightLimits, SubmissionMessage
from arena.ladder.registry import Registry
from arena.store.run import Run
from tests.ladder import factories
from tests.ladder.test_registry import submission

NASTY = "<script>alert(1)</script> & \"quotes\" 'n' {{ 7 * 7 }}"


def test_what_is_told_of_versions_and_nights(seasoned: Ladder) -> None:
    factories.join(seasoned, "bob", "# new\n", owner="bob")
    with Registry.open(seasoned.folder) as registry:
        registry.begin_night(NightLimits(round=8), [])
        told = ladder_pages.ladder_info(registry, live=True)
    assert told.accepts_submissions
    assert [(one.bot, one.owner, one.state) for one in told.versions] == [
        ("ann v1", "ann", "active"),
        ("bob v1", "bob", "superseded"),
        ("cleo v1", "cleo", "active"),
        ("bob v2", "bob", "active"),
    ]
    assert [(one.number, one.blocks, one.games) for one in told.nights] == [(1, 4, 12)]
    assert told.last_blocks == (4,)
    with Registry.open(seasoned.folder) as registry:
        assert not ladder_pages.ladder_info(registry, live=False).accepts_submissions


def test_the_pages_of_a_night_are_written_at_its_end(seasoned: Ladder) -> None:
    with Registry.open(seasoned.folder) as registry:
        began = "2020-01-01T02:00:00+00:00"
        registry.write("UPDATE night SET began = ?, ended = NULL", began)
        (night,) = ladder_pages.ladder_info(registry, live=False).nights
    assert night.began == began
    assert night.ended is not None
    assert night.ended > began


def test_a_bot_that_is_accepted_meanwhile(
    seasoned: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either all of the site knows it or nothing does."""
    opened = Run.open

    def and_then(folder: Path) -> Run:
        found = opened(folder)
        monkeypatch.setattr(Run, "open", opened)
        factories.join(seasoned, "dan", "# new\n", owner="dan")
        return found

    monkeypatch.setattr(Run, "open", and_then)
    told = ladder_pages.LadderSite(seasoned.folder).build_site().pages.survey
    assert told.ladder is not None
    known = {bot.name for bot in told.header.bots}
    assert {one.bot for one in told.ladder.versions} <= known
    assert "dan v1" not in known


def test_a_night_without_a_summary_is_not_shown(seasoned: Ladder) -> None:
    with Registry.open(seasoned.folder) as registry:
        night = registry.begin_night(NightLimits(round=8), [])
    with pytest.raises(ValueError, match="night 2 has no summary yet"):
        ladder_pages.published_night(night)


def test_nothing_that_people_write_is_more_than_text(seasoned: Ladder) -> None:
    with Registry.open(seasoned.folder) as registry:
        query = "UPDATE version SET message = ?, author = ?, description = ?"
        registry.write(query, NASTY, NASTY, NASTY)
        registry.write("UPDATE version SET why = ?, state = 'retired' WHERE name = 'bob'", NASTY)
    factories.night(seasoned, bots=["ann v1", "cleo v1", "bob v1"])
    ladder_pages.write_site(seasoned)
    pages = [path.read_text() for path in (seasoned.folder / "site").rglob("*.html")]
    told = "\n".join(pages)
    assert "&lt;script&gt;alert(1)" in told
    assert "<script>alert" not in told
    assert "{{ 7 * 7 }}" in told
    assert str(seasoned.folder) not in told, "nobody learns where the ladder is"


@pytest.mark.slow
def test_pages_are_there_and_whole(seasoned: Ladder) -> None:
    built = ladder_pages.write_site(seasoned)
    site = seasoned.folder / "site"
    assert sum(path.is_file() for path in site.rglob("*")) == built.files
    factories.night(seasoned)
    again = ladder_pages.write_site(seasoned)
    assert sum(path.is_file() for path in site.rglob("*")) == again.files
    assert not [path for path in seasoned.folder.iterdir() if path.name.startswith("site.")]


def test_pages_of_a_ladder_on_which_nothing_was_played(bare: Ladder) -> None:
    factories.join(bare, "ann")
    ladder_pages.write_site(bare)
    assert "No block is finished yet" in (bare.folder / "site" / "index.html").read_text()
    assert "ann v1" in (bare.folder / "site" / "bots.html").read_text()


def test_no_page_tells_what_the_next_deals_are_drawn_from(seasoned: Ladder) -> None:
    ladder_pages.write_site(seasoned)
    secret = factories.header(seasoned.folder).seed.encode()
    assert (seasoned.folder / "run.db").read_bytes().count(secret)
    files = [path for path in (seasoned.folder / "site").rglob("*") if path.is_file()]
    assert not [path for path in files if secret in path.read_bytes()]


def test_the_site_as_it_stands_now(seasoned: Ladder) -> None:
    assert "index.html" in ladder_pages.LadderSite(seasoned.folder).build_site().page_builders


def join(folder: Path) -> None:
    factories.join(open_ladder(folder), "dan")


def retire(folder: Path) -> None:
    with Registry.open(folder) as registry:
        registry.write("UPDATE version SET state = 'retired' WHERE name = 'ann'")


def play(folder: Path) -> None:
    factories.night(open_ladder(folder))


@pytest.mark.parametrize("happens", [join, retire, play])
def test_the_mark_changes_with_what_pages_show(
    seasoned: Ladder, happens: Callable[[Path], None]
) -> None:
    before = ladder_pages.ladder_revision(seasoned.folder)
    assert ladder_pages.ladder_revision(seasoned.folder) == before
    happens(seasoned.folder)
    assert ladder_pages.ladder_revision(seasoned.folder) != before


def test_what_pages_do_not_show_leaves_the_mark(seasoned: Ladder) -> None:
    before = ladder_pages.ladder_revision(seasoned.folder)
    with Registry.open(seasoned.folder) as registry:
        registry.add_submission(submission("a"))
        registry.add_message("a", SubmissionMessage(step="unpack"))
    assert ladder_pages.ladder_revision(seasoned.folder) == before
