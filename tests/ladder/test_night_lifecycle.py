"""A night from its beginning to its end, with nobody who plays."""

import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from arena.errors import ArenaError
from arena.ladder import pages
from arena.ladder.folder import BOTS_FOLDER, Ladder, open_ladder
from arena.ladder.models import Night, NightLimits, Version
from arena.ladder.night_lifecycle import (
    NightEntrant,
    begin_or_resume_night,
    finish_night,
    is_night_over,
    make_night_limits,
    summarize_night,
    update_run_header,
)
from arena.ladder.registry import Registry
from arena.referee.faults import Fault
from arena.store.run import Run
from tests.ladder import factories
from tests.store.blocks import make_block

TABLE = ("ann v1", "bob v1", "cleo v1")
AIM = NightLimits(round=8, games=6)


def lose(ladder: Ladder, bot: str) -> None:
    """Let the files of a version vanish."""
    with Registry.open(ladder.folder) as registry:
        digest = next(one.digest for one in registry.versions() if one.bot == bot)
    shutil.rmtree(ladder.folder / BOTS_FOLDER / digest)


def test_a_new_night_has_all_active_versions(played_ladder: Ladder) -> None:
    factories.add_version(played_ladder, "bob", "# new\n", owner="bob")
    with Registry.open(played_ladder.folder) as registry:
        begun = begin_or_resume_night(played_ladder, registry, AIM)
        assert begun.is_new
        assert begun.night.number == 2
        assert begun.night.last == 4
        assert begun.night.bots == ("ann v1", "cleo v1", "bob v2")
        assert [player.bot.name for player in begun.entrants] == list(begun.night.bots)
        assert registry.open_night() == begun.night


def test_a_night_that_was_begun_goes_on_with_its_own(played_ladder: Ladder) -> None:
    with Registry.open(played_ladder.folder) as registry:
        first = begin_or_resume_night(played_ladder, registry, AIM)
        factories.add_version(played_ladder, "bob", "# new\n", owner="bob")
        again = begin_or_resume_night(played_ladder, registry, NightLimits(round=1))
    assert not again.is_new
    assert again.night == first.night
    assert [player.version.bot for player in again.entrants] == list(TABLE)


LATER, SOON = "2030-01-02T06:00:00+01:00", "2030-01-02T03:00:00+01:00"


@pytest.mark.parametrize(
    ("old", "new", "asked", "wanted"),
    [
        (
            NightLimits(round=8, games=9),
            NightLimits(round=2, games=4),
            True,
            NightLimits(round=8, games=4),
        ),
        (
            NightLimits(round=8, games=9),
            NightLimits(round=2, until=SOON),
            True,
            NightLimits(round=8, until=SOON),
        ),
        (
            NightLimits(round=8, until=LATER),
            NightLimits(round=2, until=SOON),
            True,
            NightLimits(round=8, until=SOON),
        ),
        (
            NightLimits(round=8, until=LATER),
            NightLimits(round=2, games=4),
            True,
            NightLimits(round=8, games=4),
        ),
        (
            NightLimits(round=8, until=LATER),
            NightLimits(round=2, until=SOON),
            False,
            NightLimits(round=8, until=LATER),
        ),
        (
            NightLimits(round=8, games=9),
            NightLimits(round=2, until=SOON),
            False,
            NightLimits(round=8, games=9, until=SOON),
        ),
    ],
)
def test_the_end_of_a_resumed_night(
    played_ladder: Ladder, old: NightLimits, new: NightLimits, asked: bool, wanted: NightLimits
) -> None:
    """As asked for; else as it was to, but in any case at some time."""
    with Registry.open(played_ladder.folder) as registry:
        begin_or_resume_night(played_ladder, registry, old)
        assert (
            begin_or_resume_night(played_ladder, registry, new, is_explicit=asked).night.aim
            == wanted
        )
        night = registry.open_night()
    assert night is not None
    assert night.aim == wanted


def test_versions_with_missing_files_are_left_out(played_ladder: Ladder) -> None:
    factories.add_version(played_ladder, "dan", owner="dan")
    lose(played_ladder, "bob v1")
    with Registry.open(played_ladder.folder) as registry:
        begun = begin_or_resume_night(played_ladder, registry, AIM)
    assert begun.night.bots == ("ann v1", "cleo v1", "dan v1")
    ((bot, why),) = begun.left_out
    assert bot == "bob v1"
    assert "does not exist" in why


def test_versions_that_no_worker_can_play_are_left_out(played_ladder: Ladder) -> None:
    factories.add_version(played_ladder, "dan", owner="dan")
    asked: list[list[str]] = []

    def unable(who: Sequence[NightEntrant]) -> dict[str, str]:
        asked.append([one.bot.name for one in who])
        return {"bob v1": "nobody has perl"}

    with Registry.open(played_ladder.folder) as registry:
        begun = begin_or_resume_night(played_ladder, registry, AIM, unable)
        again = begin_or_resume_night(
            played_ladder, registry, AIM, lambda _who: {"ann v1": "nobody has node"}
        )
    assert asked == [[*TABLE, "dan v1"]]
    assert begun.night.bots == ("ann v1", "cleo v1", "dan v1")
    assert [one.bot.name for one in begun.entrants] == ["ann v1", "cleo v1", "dan v1"]
    assert begun.left_out == [("bob v1", "nobody has perl")]
    assert again.night == begun.night, "a night that was begun goes on with those who are left"
    assert [one.bot.name for one in again.entrants] == ["cleo v1", "dan v1"]
    assert again.left_out == [("ann v1", "nobody has node")]


def test_too_few_playable_bots(played_ladder: Ladder) -> None:
    with Registry.open(played_ladder.folder) as registry:
        with pytest.raises(ArenaError, match=r"has 2 bots that can play, and a table needs 3;"):
            begin_or_resume_night(
                played_ladder, registry, AIM, lambda _who: {"bob v1": "nobody has perl"}
            )
        assert registry.open_night() is None


def test_too_few_bots_begin_no_night(played_ladder: Ladder) -> None:
    lose(played_ladder, "bob v1")
    lose(played_ladder, "ann v1")
    with Registry.open(played_ladder.folder) as registry:
        with pytest.raises(ArenaError, match=r"has 1 bot that can play, and a table needs 3; sub"):
            begin_or_resume_night(played_ladder, registry, AIM)
        assert registry.open_night() is None


def test_bots_of_one_owner_begin_no_night(empty_ladder: Ladder) -> None:
    for name in ("ann", "annie", "anna", "hannah"):
        factories.add_version(empty_ladder, name, owner="ann")
    with Registry.open(empty_ladder.folder) as registry:
        with pytest.raises(ArenaError, match=r"4 bots .*, and a table needs 3 of different owners"):
            begin_or_resume_night(empty_ladder, registry, AIM)
        assert registry.open_night() is None
        for name in ("bob", "cleo"):
            factories.add_version(empty_ladder, name, owner=name)
        assert len(begin_or_resume_night(empty_ladder, registry, AIM).entrants) == 6


def test_a_night_ends_without_its_bots_or_its_time(played_ladder: Ladder) -> None:
    past = datetime.now().astimezone() - timedelta(seconds=1)
    with Registry.open(played_ladder.folder) as registry:
        night = begin_or_resume_night(
            played_ladder, registry, make_night_limits(None, past, 2)
        ).night
        assert night.aim.is_time_up
        assert is_night_over(played_ladder, registry, night)
        registry.end_night(night.number)
        soon = past + timedelta(hours=1)
        night = begin_or_resume_night(
            played_ladder, registry, make_night_limits(None, soon, 2)
        ).night
        assert not night.aim.is_time_up
        assert not is_night_over(played_ladder, registry, night)
        lose(played_ladder, "bob v1")
        assert is_night_over(played_ladder, registry, night), (
            "what is missing cannot be played any more"
        )


def test_the_header_follows_versions_and_settings(played_ladder: Ladder) -> None:
    changed = factories.change_settings(played_ladder.folder, name="another", seats=[3, 4])
    with (
        Run.open_for_writing(played_ladder.folder) as run,
        Registry.open(played_ladder.folder) as registry,
    ):
        update_run_header(changed, run, registry)
        assert run.header.name == "another"
        assert run.header.settings["cells"] == [["stick-em", 3], ["stick-em", 4]]
        assert run.roster().bots == TABLE
        with pytest.raises(ArenaError, match="'clock' was"):
            update_run_header(
                factories.change_settings(played_ladder.folder, clock={"move": 1.0}), run, registry
            )
    assert factories.read_header(played_ladder.folder).name == "another"


class Busy(Registry):
    """A registry whose readers are late: somebody is accepted right after they have looked."""

    def versions(self, *, name: str | None = None) -> list[Version]:
        found = super().versions(name=name)
        if name is None and len(found) == 3:
            with Run.open_beside(self.file.parent) as run:
                factories.add_version(open_ladder(self.file.parent), "dan")
                run.writer.load_bot_ids()
                run.begin_session("code", 1, "none", "placement of dan")
                run.add([make_block(9, "stick-em", ("ann v1", "bob v1", "dan v1"))])
        return found


def test_a_version_is_accepted_at_the_same_moment(played_ladder: Ladder) -> None:
    with (
        Run.open_for_writing(played_ladder.folder) as run,
        Busy.open(played_ladder.folder) as registry,
    ):
        update_run_header(played_ladder, run, registry)
        assert run.roster().bots == (*TABLE, "dan v1")
    assert [bot.name for bot in factories.read_header(played_ladder.folder).bots] == [
        *TABLE,
        "dan v1",
    ]


def test_a_version_accepted_during_a_night_does_not_change_shares(empty_ladder: Ladder) -> None:
    for name in ("ann", "bob", "cleo", "dan", "eve"):
        factories.add_version(empty_ladder, name)
    with Run.open_for_writing(empty_ladder.folder) as run:
        run.begin_session("code", 1, "none", "night 1")
        first = ("bob v1", "cleo v1", "dan v1")
        later = [("ann v1", "bob v1", "eve v1"), ("bob v1", "cleo v1", "eve v1")]
        run.add([make_block(0, "stick-em", first)])
        factories.add_version(empty_ladder, "finn")
        run.add([make_block(number, "stick-em", table) for number, table in enumerate(later, 1)])
        assert {one.bots for one in run.blocks()} == {first, *later}


def begin(ladder: Ladder, registry: Registry, run: Run) -> Night:
    night = begin_or_resume_night(ladder, registry, AIM).night
    update_run_header(ladder, run, registry)
    run.begin_session("code", 1, "none", night.salt)
    return night


def test_the_summary_lists_changes(played_ladder: Ladder) -> None:
    factories.add_version(played_ladder, "dan", owner="dan")
    with (
        Run.open_for_writing(played_ladder.folder) as run,
        Registry.open(played_ladder.folder) as registry,
    ):
        night = begin(played_ladder, registry, run)
        factories.add_session(run, played_ladder, night.salt, 30, ["dan v1", "cleo v1", "ann v1"])
        run.begin_session("code", 1, "none", "placement of somebody")
        run.add([make_block(7, "stick-em", TABLE)])
        summary = summarize_night(played_ladder, registry, night, 12.5, [("bob v1", "no reason")])
    assert (summary.blocks, summary.games, summary.seconds) == (30, 90, 12.5)
    assert summary.last == 34, "not the block of somebody who was placed meanwhile"
    assert summary.new == ("dan v1",)
    assert summary.left_out == (("bob v1", "no reason"),)
    assert summary.retired == ()
    assert {move.bot for move in summary.moves} >= {"dan v1"}


@pytest.mark.parametrize(("share", "gone"), [(0.2, False), (0.1, True)])
def test_bots_with_too_many_faults(played_ladder: Ladder, share: float, *, gone: bool) -> None:
    rule = {"share": share, "games": 15}
    ladder = factories.change_settings(played_ladder.folder, retire=rule)
    faults = (Fault(1, "illegal", "no"),)
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        night = begin(ladder, registry, run)
        run.add([make_block(number, "stick-em", TABLE, faults=faults) for number in range(3)])
        summary = summarize_night(ladder, registry, night, 1.0)
        registry.save_summary(night.number, summary)
        bob = registry.versions()[1]
    if gone:
        why = "at fault in 3 of 21 games, and more than 10 % are too many; "
        assert summary.retired == (("bob v1", bob.why),)
        assert (bob.state, bob.why[: len(why)]) == ("retired", why)
        assert "bob v1" not in {move.bot for move in summary.moves}
    else:
        assert (bob.state, summary.retired) == ("active", ())


def test_reference_bots_stay(played_ladder: Ladder) -> None:
    ladder = factories.change_settings(played_ladder.folder, retire={"share": 0.1, "games": 15})
    faults = (Fault(1, "illegal", "no"),)
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        registry.write("UPDATE version SET owner = '' WHERE bot = 'bob v1'")
        night = begin(ladder, registry, run)
        run.add([make_block(number, "stick-em", TABLE, faults=faults) for number in range(3)])
        assert summarize_night(ladder, registry, night, 1.0).retired == ()


@pytest.mark.slow
def test_an_end_that_is_interrupted_is_gone_on_with(
    played_ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    with (
        Run.open_for_writing(played_ladder.folder) as run,
        Registry.open(played_ladder.folder) as registry,
    ):
        night = begin(played_ladder, registry, run)
        run.add([make_block(0, "stick-em", TABLE)])
        with monkeypatch.context() as broken:
            broken.setattr(pages, "write_site", lambda _ladder: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                finish_night(played_ladder, run, registry, night, steps.append, (1.0, []))
        left = registry.open_night()
        assert left is not None
        assert is_night_over(played_ladder, registry, left)
        summary, built = finish_night(played_ladder, run, registry, left, steps.append)
        assert registry.open_night() is None
    assert steps == ["Rating all games.", "Writing the pages.", "Writing the pages."]
    assert summary == left.summary, "it is not reckoned up again"
    assert built.files > 10
    assert (played_ladder.folder / "site" / "index.html").is_file()
