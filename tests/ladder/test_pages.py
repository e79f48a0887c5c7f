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
from tests.ladder.test_registry import make_submission

NASTY = "<script>alert(1)</script> & \"quotes\" 'n' {{ 7 * 7 }}"


def test_published_versions_and_nights(played_ladder: Ladder) -> None:
    factories.add_version(played_ladder, "bob", "# new\n", owner="bob")
    with Registry.open(played_ladder.folder) as registry:
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
    with Registry.open(played_ladder.folder) as registry:
        assert not ladder_pages.ladder_info(registry, live=False).accepts_submissions


def test_the_pages_of_a_night_are_written_at_its_end(played_ladder: Ladder) -> None:
    with Registry.open(played_ladder.folder) as registry:
        began = "2020-01-01T02:00:00+00:00"
        registry.write("UPDATE night SET began = ?, ended = NULL", began)
        (night,) = ladder_pages.ladder_info(registry, live=False).nights
    assert night.began == began
    assert night.ended is not None
    assert night.ended > began


def test_a_bot_accepted_while_pages_are_written(
    played_ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either all of the site knows it or nothing does."""
    opened = Run.open

    def and_then(folder: Path) -> Run:
        found = opened(folder)
        monkeypatch.setattr(Run, "open", opened)
        factories.add_version(played_ladder, "dan", "# new\n", owner="dan")
        return found

    monkeypatch.setattr(Run, "open", and_then)
    told = ladder_pages.LadderSite(played_ladder.folder).build_site().pages.survey
    assert told.ladder is not None
    known = {bot.name for bot in told.header.bots}
    assert {one.bot for one in told.ladder.versions} <= known
    assert "dan v1" not in known


def test_a_night_without_a_summary_is_not_shown(played_ladder: Ladder) -> None:
    with Registry.open(played_ladder.folder) as registry:
        night = registry.begin_night(NightLimits(round=8), [])
    with pytest.raises(ValueError, match="night 2 has no summary yet"):
        ladder_pages.published_night(night)


def test_submitted_texts_are_escaped(played_ladder: Ladder) -> None:
    with Registry.open(played_ladder.folder) as registry:
        query = "UPDATE version SET message = ?, author = ?, description = ?"
        registry.write(query, NASTY, NASTY, NASTY)
        registry.write("UPDATE version SET why = ?, state = 'retired' WHERE name = 'bob'", NASTY)
    factories.add_night(played_ladder, bots=["ann v1", "cleo v1", "bob v1"])
    ladder_pages.write_site(played_ladder)
    pages = [path.read_text() for path in (played_ladder.folder / "site").rglob("*.html")]
    told = "\n".join(pages)
    assert "&lt;script&gt;alert(1)" in told
    assert "<script>alert" not in told
    assert "{{ 7 * 7 }}" in told
    assert str(played_ladder.folder) not in told, "nobody learns where the ladder is"


@pytest.mark.slow
def test_pages_are_there_and_whole(played_ladder: Ladder) -> None:
    built = ladder_pages.write_site(played_ladder)
    site = played_ladder.folder / "site"
    assert sum(path.is_file() for path in site.rglob("*")) == built.files
    factories.add_night(played_ladder)
    again = ladder_pages.write_site(played_ladder)
    assert sum(path.is_file() for path in site.rglob("*")) == again.files
    assert not [path for path in played_ladder.folder.iterdir() if path.name.startswith("site.")]


def test_pages_of_a_ladder_without_games(empty_ladder: Ladder) -> None:
    factories.add_version(empty_ladder, "ann")
    ladder_pages.write_site(empty_ladder)
    assert "No block is finished yet" in (empty_ladder.folder / "site" / "index.html").read_text()
    assert "ann v1" in (empty_ladder.folder / "site" / "bots.html").read_text()


def test_no_page_tells_what_the_next_deals_are_drawn_from(played_ladder: Ladder) -> None:
    ladder_pages.write_site(played_ladder)
    secret = factories.read_header(played_ladder.folder).seed.encode()
    assert (played_ladder.folder / "run.db").read_bytes().count(secret)
    files = [path for path in (played_ladder.folder / "site").rglob("*") if path.is_file()]
    assert not [path for path in files if secret in path.read_bytes()]


def test_the_site_as_it_stands_now(played_ladder: Ladder) -> None:
    assert "index.html" in ladder_pages.LadderSite(played_ladder.folder).build_site().page_builders


def join(folder: Path) -> None:
    factories.add_version(open_ladder(folder), "dan")


def retire(folder: Path) -> None:
    with Registry.open(folder) as registry:
        registry.write("UPDATE version SET state = 'retired' WHERE name = 'ann'")


def play(folder: Path) -> None:
    factories.add_night(open_ladder(folder))


@pytest.mark.parametrize("happens", [join, retire, play])
def test_the_mark_changes_with_what_pages_show(
    played_ladder: Ladder, happens: Callable[[Path], None]
) -> None:
    before = ladder_pages.ladder_revision(played_ladder.folder)
    assert ladder_pages.ladder_revision(played_ladder.folder) == before
    happens(played_ladder.folder)
    assert ladder_pages.ladder_revision(played_ladder.folder) != before


def test_changes_that_pages_do_not_show_keep_the_revision(played_ladder: Ladder) -> None:
    before = ladder_pages.ladder_revision(played_ladder.folder)
    with Registry.open(played_ladder.folder) as registry:
        registry.add_submission(make_submission("a"))
        registry.add_message("a", SubmissionMessage(step="unpack"))
    assert ladder_pages.ladder_revision(played_ladder.folder) == before
