"""Makeshift tournaments: bots that are only names, for tests in which nothing is played."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.tournaments.config.keys import RatingKeys
from arena.tournaments.config.tournament import Tournament


def fake_bot(name: str, version: str = "1") -> Bot:
    return Bot(name, version, ("true",), Path("/"))


def fake_bots(count: int) -> tuple[Bot, ...]:
    return tuple(fake_bot(f"bot{number:02}") for number in range(count))


def fake_tournament(**other: Any) -> Tournament:
    """Six bots at tables of four, with what is named here changed."""
    plain = Tournament(
        file=Path("test.yaml"),
        text="",
        name="test",
        seed=None,
        cells=(Cell("sticheln", 4),),
        bots=fake_bots(6),
        paths=(),
        deals=6,
        seating="balanced",
        tables="all",
        chunk=32,
        referee_config=RefereeConfig(),
        cluster=None,
        workers=None,
        rating=RatingKeys(),
        sandbox="none",
        stop=None,
    )
    return replace(plain, **other)
