"""`arena ladder show` shows how a ladder stands."""

import json

import pytest
from click.testing import Result

from arena.ladder.folder import Ladder
from arena.ladder.registry import Registry
from tests.cli.invoke import invoke_arena
from tests.ladder import factories


def show(ladder: Ladder, *words: str) -> Result:
    return invoke_arena("ladder", "show", ladder.folder, *words, columns=120)


def test_standings_list_active_versions(played_ladder: Ladder) -> None:
    factories.add_version(played_ladder, "bob", "# new\n", owner="bob")
    done = show(played_ladder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("small · stick-em, 3 seats · 4 blocks · 12 games\n")
    ranks = [line.split()[:2] for line in done.stdout.splitlines() if " v1 " in line]
    assert [rank for rank in ranks if rank[0].isdigit()] == [["1", "ann"], ["2", "cleo"]]
    assert "bob v1" not in done.stdout
    with Registry.open(played_ladder.folder) as registry:
        registry.write("UPDATE version SET state = 'retired' WHERE name = 'ann'")
    assert "ann v1" not in show(played_ladder).stdout


def test_json(played_ladder: Ladder) -> None:
    told = json.loads(show(played_ladder, "--json", "--by", "variant", "--best", "2").stdout)
    assert [line["bot"] for line in told["overall"]["lines"]] == ["ann v1", "bob v1"]
    assert [part["title"] for part in told["parts"]] == ["stick-em"]
    assert told["name"] == "small"


@pytest.mark.parametrize("by", ["variant", "seats", "cell"])
def test_standings_by_part(played_ladder: Ladder, by: str) -> None:
    done = show(played_ladder, "--by", by, "--best", "1")
    assert done.exit_code == 0
    assert sum("ann v1" in line for line in done.stdout.splitlines()) >= 2
    assert "cleo v1  " not in done.stdout


def test_a_ladder_without_games(empty_ladder: Ladder) -> None:
    done = show(empty_ladder)
    assert done.exit_code == 0
    assert done.stdout.startswith("Nothing was played yet: arena ladder night ")
    assert json.loads(show(empty_ladder, "--json").stdout)["overall"]["lines"] == []


def test_folders_that_are_not_ladders(played_ladder: Ladder) -> None:
    (played_ladder.folder / "ladder.yaml").write_text("variants: [")
    done = show(played_ladder)
    assert done.exit_code == 2
    assert "ladder.yaml: it is not YAML: line 1: " in done.stderr
    (played_ladder.folder / "ladder.yaml").unlink()
    assert "is not a ladder: it has no ladder.yaml" in show(played_ladder).stderr


def test_cells_that_came_later_have_no_games_yet(played_ladder: Ladder) -> None:
    factories.change_settings(played_ladder.folder, seats=[3, 4])
    done = show(played_ladder)
    assert done.exit_code == 0
    assert "4 blocks · 12 games" in done.stdout
