"""`arena demo` plays a small tournament and shows it."""

import pytest

from tests.cli.conftest import Run


@pytest.mark.slow
def test_the_same_seed_plays_the_same_games(arena: Run) -> None:
    def printed(seed: str) -> str:
        done = arena("demo", "--deals", "1", "--seed", seed)
        assert done.returncode == 0
        assert "20 games" in done.stdout
        return done.stdout

    once = printed("1")
    assert printed("1") == once
    assert printed("2") != once


def test_no_deals_are_none(arena: Run) -> None:
    done = arena("demo", "--deals", "0")
    assert done.returncode == 2
    assert "0 is not in the range x>=1" in done.stderr
