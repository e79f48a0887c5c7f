"""Faults of bots with their evidence."""

import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.referee.faults import Evidence, Fault
from arena.report.data import fault_details
from arena.report.data.fault_details import MAX_FAULTS_PER_BOT, MIN_FAULTS_PER_BOT, load_faults
from arena.store.block import pack_games
from arena.store.run import Run
from arena.store.search import game_id
from tests.report.runs import write_run
from tests.store.blocks import BOTS, make_block

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
