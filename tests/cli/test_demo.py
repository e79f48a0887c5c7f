"""`arena demo` plays and shows."""

from tests.cli.conftest import Run


def test_the_same_seed_plays_the_same_games(arena: Run) -> None:
    def scores(seed: str) -> list[str]:
        done = arena("demo", "--games", "3", "--seed", seed)
        assert done.returncode == 0
        return [line for line in done.stdout.splitlines() if " score " in line]

    once = scores("1")
    assert len(once) == 6
    assert scores("1") == once
    assert scores("2") != once


def test_no_games_are_none(arena: Run) -> None:
    done = arena("demo", "--games", "0")
    assert done.returncode == 2
    assert "0 is not in the range x>=1" in done.stderr
