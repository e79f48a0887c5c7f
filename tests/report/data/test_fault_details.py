"""The command that plays a game again says all that matters, and not where our bots are."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from arena.protocol.messages import Limits
from arena.referee.faults import Evidence, Fault
from arena.report.data import fault_details
from arena.report.data.fault_details import (
    MAX_FAULTS_PER_BOT,
    MIN_FAULTS_PER_BOT,
    clock_argument,
    load_faults,
    local_path,
    play_command,
)
from arena.store.block import pack_games
from arena.store.header import Entrant
from arena.store.run import Run
from arena.store.search import game_id
from tests.report.runs import write_run
from tests.store.blocks import BOTS, make_block, make_header

ASKED = Evidence(request='{"id":4}', reply="R99", stderr="oh\n", wall=0.25, cpu=0.125)
ILLEGAL = Fault(1, "illegal", "R99 is no option", 4, ASKED)
AGAIN = Fault(1, "illegal", "G99 is no option", 9, Evidence(reply="G99"))
GONE = Fault(0, "exited", "it has ended", None, Evidence(stderr="bye"))


def test_each_has_its_own_evidence(tmp_path: Path) -> None:
    """Bob is in seat 1 and ann in seat 0 of the first game."""
    one = make_block(0, bots=BOTS[:3], faults=(ILLEGAL, AGAIN, GONE))
    with Run.open(write_run(tmp_path, [one, make_block(1)])) as run:
        found = load_faults(run)
    assert set(found) == {"ann", "bob"}
    told = [(name, one.fault.text, one.evidence) for name, own in found.items() for one in own]
    assert sorted(told) == [
        ("ann", "it has ended", GONE.evidence),
        ("bob", "G99 is no option", AGAIN.evidence),
        ("bob", "R99 is no option", ILLEGAL.evidence),
    ]
    assert {one.fault.game for own in found.values() for one in own} == {game_id(one.key, 0)}


def test_commands(tmp_path: Path) -> None:
    """One names the run, one plays the game again, and neither says where we keep anything."""
    one = make_block(0, bots=BOTS[:3], faults=(ILLEGAL,))
    folder = tmp_path / "friday night"
    with Run.open(write_run(folder, [one], settings={"clock": {"move": 0.5}})) as run:
        ((charge,),) = load_faults(run).values()
    show, again = map(shlex.split, charge.commands)
    assert show == ["arena", "show", "friday night", game_id(one.key, 0)]
    paths = ["./ann", "./bob", "./cleo"]
    assert again == [
        *("arena", "play", "sticheln", *paths, "--seed", str(one.seed), "--clock", "move=0.5")
    ]


def test_a_sandbox_is_that_of_the_sitting(tmp_path: Path) -> None:
    folder = write_run(tmp_path, [])
    with Run.open_for_writing(folder) as run:
        for number, level in enumerate(("strict", "none")):
            run.begin_session("code", 1, level)
            run.add([make_block(number, faults=(ILLEGAL,))])
        (told,) = load_faults(run).values()
    assert {charge.commands[1].rpartition("--sandbox ")[2] for charge in told} == {"strict", "none"}


def test_the_others_are_only_counted(tmp_path: Path) -> None:
    with Run.open(
        write_run(tmp_path, [make_block(n, faults=(ILLEGAL, AGAIN)) for n in range(11)])
    ) as run:
        assert {name: len(own) for name, own in load_faults(run).items()} == {
            "bob": MAX_FAULTS_PER_BOT
        }
        assert run.fault_counts() == {("bob", "illegal"): 22}


def test_fewer_of_each_where_very_many_are_guilty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But some of everybody, in the order of their games."""
    monkeypatch.setattr(fault_details, "MAX_DETAILED_FAULTS", 8)
    blocks = [make_block(n, faults=(ILLEGAL, AGAIN, GONE)) for n in range(6)]
    with Run.open(write_run(tmp_path, blocks)) as run:
        found = load_faults(run)
        every = {name: list(run.faults(bot=name)) for name in found}
    assert {name: len(own) for name, own in found.items()} == {"ann": 4, "bob": 4}
    for name, own in found.items():
        assert [one.fault for one in own] == every[name][:4]
    monkeypatch.setattr(fault_details, "MAX_DETAILED_FAULTS", 0)
    with Run.open(tmp_path) as run:
        assert {len(own) for own in load_faults(run).values()} == {MIN_FAULTS_PER_BOT}


def test_a_run_without_faults(tmp_path: Path) -> None:
    with Run.open(write_run(tmp_path, [make_block(0)])) as run:
        assert load_faults(run) == {}


@pytest.mark.parametrize("games", [b"noise", make_block(1).packed_games, pack_games(())])
def test_records_that_cannot_be_read(games: bytes, tmp_path: Path) -> None:
    """The fault is known all the same."""
    with Run.open_for_writing(write_run(tmp_path, [make_block(0, faults=(ILLEGAL,))])) as run:
        run.connection.execute("UPDATE kept SET games = ?", (games,))
        ((charge,),) = load_faults(run).values()
    assert (charge.fault.text, charge.evidence) == ("R99 is no option", Evidence())


def test_blocks_with_the_same_id_prefix(tmp_path: Path) -> None:
    """Among very many blocks there are some; then nobody can say which is meant."""
    twins = [
        replace(make_block(number, faults=(ILLEGAL,)), key=bytes([7] * 10 + [number] * 6))
        for number in range(2)
    ]
    with Run.open(write_run(tmp_path, twins)) as run:
        (told,) = load_faults(run).values()
    assert [charge.fault.text for charge in told] == ["R99 is no option"] * 2


HERE = str(Path(__file__).parent)


@pytest.mark.parametrize(
    ("settings", "level", "more"),
    [
        ({}, None, ""),
        ({"clock": to_builtins(Limits())}, None, ""),
        ({"clock": to_builtins(Limits(move=0.5))}, None, "--clock move=0.5"),
        ({"clock": to_builtins(Limits(move=2.0, wall=60.0))}, None, "--clock move=2,wall=60"),
        ({"clock": "none"}, None, "--no-clock"),
        ({"faults": {"policy": "strict"}}, None, "--strict"),
        ({"faults": {"policy": "forfeit"}}, None, ""),
        ({}, "strict", "--sandbox strict"),
        ({}, "none", "--sandbox none"),
        ({}, "standard", ""),
        (
            {"clock": "none", "faults": {"policy": "strict"}},
            "none",
            "--no-clock --strict --sandbox none",
        ),
    ],
)
def test_commands_that_repeat_a_fault(
    settings: dict[str, Any], level: str | None, more: str
) -> None:
    about = make_header(("ann", "bob"), settings=settings)
    told = play_command(
        about, "sticheln", ("bob", "ann", "bob"), 7, 0, level, format_path=local_path
    )
    words = ["arena", "play", "sticheln", "./bob", "./ann", "./bob", "--seed", "7", *more.split()]
    assert shlex.split(told) == words


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (f"{HERE}/my_bot.py", "./my_bot.py"),
        (f"{HERE}/my bot", "./my bot"),
        (f"{HERE}/-x", "./-x"),
        ("careful", "careful"),
        ("ladder:careful", "ladder:careful"),
    ],
)
def test_no_path_of_this_machine(path: str, shown: str) -> None:
    assert local_path(path) == shown
    about = replace(make_header(), bots=(Entrant("ann", "1", path),))
    told = play_command(about, "sticheln", ("ann",), 1, 0, None, format_path=local_path)
    assert HERE not in told
    assert shlex.split(told)[3] == shown


def test_a_bot_outside_the_header_keeps_its_name() -> None:
    told = play_command(
        make_header(), "sticheln", ("zoe; rm -r x",), 1, 0, None, format_path=local_path
    )
    assert shlex.split(told)[3] == "zoe; rm -r x"


def test_clock_arguments() -> None:
    assert clock_argument(Limits()) is None
    assert clock_argument(Limits(start=1.0, bank=0.25)) == "start=1,bank=0.25"


def test_commands_contain_the_turn() -> None:
    told = play_command(make_header(), "sticheln", ("ann",), 1, 2, None, format_path=local_path)
    assert "--seed 1 --turn 2" in told
