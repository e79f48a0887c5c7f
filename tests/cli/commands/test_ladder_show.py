"""`arena ladder show` shows how a ladder stands."""

import json

import pytest
from click.testing import Result

from arena.ladder.folder import Ladder
from arena.ladder.registry import Registry
from tests.cli.runs import asked
from tests.ladder import factories


def show(ladder: Ladder, *words: str) -> Result:
    return asked("ladder", "show", ladder.folder, *words, columns=120)


def test_the_standings_of_those_who_are_active(seasoned: Ladder) -> None:
    factories.join(seasoned, "bob", "# new\n", owner="bob")
    done = show(seasoned)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("small · stick-em, 3 seats · 4 blocks · 12 games\n")
    ranks = [line.split()[:2] for line in done.stdout.splitlines() if " v1 " in line]
    assert [rank for rank in ranks if rank[0].isdigit()] == [["1", "ann"], ["2", "cleo"]]
    assert "bob v1" not in done.stdout
    with Registry.open(seasoned.folder) as registry:
        registry.write("UPDATE version SET state = 'retired' WHERE name = 'ann'")
    assert "ann v1" not in show(seasoned).stdout


def test_json(seasoned: Ladder) -> None:
    told = json.loads(show(seasoned, "--json", "--by", "variant", "--best", "2").stdout)
    assert [line["bot"] for line in told["overall"]["lines"]] == ["ann v1", "bob v1"]
    assert [part["title"] for part in told["parts"]] == ["stick-em"]
    assert told["name"] == "small"


@pytest.mark.parametrize("by", ["variant", "seats", "cell"])
def test_parts(seasoned: Ladder, by: str) -> None:
    done = show(seasoned, "--by", by, "--best", "1")
    assert done.exit_code == 0
    assert sum("ann v1" in line for line in done.stdout.splitlines()) >= 2
    assert "cleo v1  " not in done.stdout


def test_nothing_was_played(bare: Ladder) -> None:
    done = show(bare)
    assert done.exit_code == 0
    assert done.stdout.startswith("Nothing was played yet: arena ladder night ")
    assert json.loads(show(bare, "--json").stdout)["overall"]["lines"] == []


def test_what_is_no_ladder(seasoned: Ladder) -> None:
    (seasoned.folder / "ladder.yaml").write_text("variants: [")
    done = show(seasoned)
    assert done.exit_code == 2
    assert "ladder.yaml: it is not YAML: line 1: " in done.stderr
    (seasoned.folder / "ladder.yaml").unlink()
    assert "is not a ladder: it has no ladder.yaml" in show(seasoned).stderr


def test_cells_that_came_later_have_no_games_yet(seasoned: Ladder) -> None:
    factories.change(seasoned.folder, seats=[3, 4])
    done = show(seasoned)
    assert done.exit_code == 0
    assert "4 blocks · 12 games" in done.stdout
