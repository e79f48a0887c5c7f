"""Faults with what shows them, and commands that hold wherever they are typed."""

import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.match.faults import Evidence, Fault
from arena.report import charges as module
from arena.report.charges import FEWEST, MOST, charges
from arena.store.block import pack
from arena.store.listing import game_id
from arena.store.run import Run
from tests.report.runs import kept
from tests.store.blocks import BOTS, block

ASKED = Evidence(request='{"id":4}', reply="R99", stderr="oh\n", wall=0.25, cpu=0.125)
ILLEGAL = Fault(1, "illegal", "R99 is no option", 4, ASKED)
AGAIN = Fault(1, "illegal", "G99 is no option", 9, Evidence(reply="G99"))
GONE = Fault(0, "exited", "it has ended", None, Evidence(stderr="bye"))


def test_each_has_its_own_evidence(tmp_path: Path) -> None:
    """Bob is in seat 1 and ann in seat 0 of the first game."""
    one = block(0, bots=BOTS[:3], faults=(ILLEGAL, AGAIN, GONE))
    with Run.open(kept(tmp_path, [one, block(1)])) as run:
        found = charges(run)
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
    one = block(0, bots=BOTS[:3], faults=(ILLEGAL,))
    folder = tmp_path / "friday night"
    with Run.open(kept(folder, [one], settings={"clock": {"move": 0.5}})) as run:
        ((charge,),) = charges(run).values()
    show, again = map(shlex.split, charge.commands)
    assert show == ["arena", "show", "friday night", game_id(one.key, 0)]
    paths = ["./ann", "./bob", "./cleo"]
    assert again == [
        *("arena", "play", "sticheln", *paths, "--seed", str(one.seed), "--clock", "move=0.5")
    ]


def test_a_sandbox_is_that_of_the_sitting(tmp_path: Path) -> None:
    folder = kept(tmp_path, [])
    with Run.write(folder) as run:
        for number, level in enumerate(("strict", "none")):
            run.session("code", 1, level)
            run.add([block(number, faults=(ILLEGAL,))])
        (told,) = charges(run).values()
    assert {charge.commands[1].rpartition("--sandbox ")[2] for charge in told} == {"strict", "none"}


def test_the_others_are_only_counted(tmp_path: Path) -> None:
    with Run.open(kept(tmp_path, [block(n, faults=(ILLEGAL, AGAIN)) for n in range(11)])) as run:
        assert {name: len(own) for name, own in charges(run).items()} == {"bob": MOST}
        assert run.faulted() == {("bob", "illegal"): 22}


def test_fewer_of_each_where_very_many_are_guilty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But some of everybody, in the order of their games."""
    monkeypatch.setattr(module, "IN_ALL", 8)
    blocks = [block(n, faults=(ILLEGAL, AGAIN, GONE)) for n in range(6)]
    with Run.open(kept(tmp_path, blocks)) as run:
        found = charges(run)
        every = {name: list(run.faults(bot=name)) for name in found}
    assert {name: len(own) for name, own in found.items()} == {"ann": 4, "bob": 4}
    for name, own in found.items():
        assert [one.fault for one in own] == every[name][:4]
    monkeypatch.setattr(module, "IN_ALL", 0)
    with Run.open(tmp_path) as run:
        assert {len(own) for own in charges(run).values()} == {FEWEST}


def test_nobody_was_at_fault(tmp_path: Path) -> None:
    with Run.open(kept(tmp_path, [block(0)])) as run:
        assert charges(run) == {}


@pytest.mark.parametrize("games", [b"noise", block(1).kept, pack(())])
def test_records_that_cannot_be_read(games: bytes, tmp_path: Path) -> None:
    """The fault is known all the same."""
    with Run.write(kept(tmp_path, [block(0, faults=(ILLEGAL,))])) as run:
        run.connection.execute("UPDATE kept SET games = ?", (games,))
        ((charge,),) = charges(run).values()
    assert (charge.fault.text, charge.evidence) == ("R99 is no option", Evidence())


def test_two_blocks_whose_ids_begin_alike(tmp_path: Path) -> None:
    """Among very many blocks there are some; then nobody can say which is meant."""
    twins = [
        replace(block(number, faults=(ILLEGAL,)), key=bytes([7] * 10 + [number] * 6))
        for number in range(2)
    ]
    with Run.open(kept(tmp_path, twins)) as run:
        (told,) = charges(run).values()
    assert [charge.fault.text for charge in told] == ["R99 is no option"] * 2
