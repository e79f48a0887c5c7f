"""Load a tournament from its YAML file, check its values, and find and build its bots."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from math import comb, isfinite
from pathlib import Path
from typing import Any

import msgspec

from arena.bots.bot import Bot
from arena.bots.build import BuildSettings
from arena.bots.sandbox.limits import SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox
from arena.bots.sandbox.system_image import SystemLocation
from arena.protocol.messages import PROTOCOL_VERSION, Limits
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.text import spelling_hint
from arena.tournaments.config import yaml_file
from arena.tournaments.config.keys import (
    KEY_HELP,
    MAX_CHOSEN_TABLES,
    FaultKeys,
    RatingKeys,
    StopKeys,
    TableKeys,
    TournamentKeys,
    parse_keys,
)
from arena.tournaments.config.resolve import (
    default_system,
    find_bots,
    find_cells,
    find_sandbox,
    limits_text,
)
from arena.tournaments.config.scheduler_address import SchedulerAddress, find_scheduler
from arena.tournaments.config.yaml_file import BadTournament
from arena.tournaments.deals import commitment, is_guessable
from arena.tournaments.seatings import Design, design

MAX_NAME_LENGTH = 40
MAX_SEED_BITS = 4096
"""Bits of a seed that is a number."""
GUESSABLE_SEED_NOTE = (
    "The seed is short enough to be guessed from its commitment; leave the key out, and a long one "
    "is drawn when the run begins."
)


@dataclass(frozen=True)
class Tournament:
    """What is played, by which bots, and with which settings."""

    file: Path
    text: str
    """The text of the file."""
    name: str
    seed: str | None
    """The secret from which the deals are made; None: one is drawn when the run begins."""
    cells: tuple[Cell, ...]
    bots: tuple[Bot, ...]
    """In the order of their names, which are unique; an index is a bot's number everywhere."""
    paths: tuple[str, ...]
    """The path of each bot, or its name if it comes with the program."""
    deals: int
    seating: Design
    tables: str | TableKeys
    chunk: int
    referee_config: RefereeConfig
    workers: int | None
    """None: one for each core."""
    cluster: SchedulerAddress | None
    """The scheduler of a cluster; None: it is played on this machine."""
    rating: RatingKeys
    sandbox: str
    """The limits of the sandbox that are not the defaults, as text."""
    stop: StopKeys | None
    notes: tuple[str, ...] = ()
    """Sentences on consequences of the file, for its author."""

    def with_seed(self, secret: str) -> "Tournament":
        """The same tournament with a secret that was drawn."""
        return replace(self, seed=secret)

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of all variants that are played."""
        return tuple(sorted({cell.variant for cell in self.cells}))

    def bot_number(self, name: str) -> int:
        """The number of the bot of this name."""
        return next(number for number, bot in enumerate(self.bots) if bot.name == name)

    def settings(self) -> dict[str, Any]:
        """All that decides which games are played, for JSON; the secret only as its commitment."""
        limits = self.referee_config.limits
        return {
            "protocol": PROTOCOL_VERSION,
            "seed": None if self.seed is None else commitment(self.seed),
            "cells": [[cell.variant, cell.seats] for cell in self.cells],
            "bots": {bot.name: bot.digest for bot in self.bots},
            "deals": self.deals,
            "seating": self.seating,
            "tables": tables_setting(self.tables),
            "chunk": self.chunk,
            "clock": "none" if limits is None else msgspec.to_builtins(limits),
            "faults": {
                "policy": str(self.referee_config.policy),
                "retire": self.referee_config.max_faults,
            },
            "games": self.referee_config.games_at_once,
            "anonymous": self.referee_config.anonymous,
            "sandbox": self.sandbox,
            "stop": msgspec.to_builtins(self.stop),
        }


def load_tournament(
    file: Path, level: SandboxLevel | None = None, *, network: bool = False, on: str | None = None
) -> Tournament:
    """Load the tournament in a file; errors name the file and the key.

    A level of the sandbox replaces that of the file, and the bots are built inside it. The address
    of a cluster, or 'local', replaces the backend of the file; bots of a cluster are not built.
    """
    text = yaml_file.read_yaml_file(file)
    keys = parse_keys(file, text)
    check_values(file, keys)
    cluster = find_scheduler(on, keys.backend, file)
    sandbox = find_sandbox(file, keys.sandbox, level, is_remote=cluster is not None)
    entrants = find_bots(file, keys.bots, None if cluster else BuildSettings(sandbox, network))
    if sandbox.system is SystemLocation.AUTO:
        sandbox = replace(sandbox, system=default_system(entrant.path for entrant in entrants))
    bots = tuple(entrant.bot for entrant in entrants)
    names = [bot.name for bot in bots]
    cells, notes = find_cells(file, keys, len(bots))
    check_tables(file, keys.tables, names, max(cell.seats for cell in cells))
    for number, anchor in enumerate(keys.rating.anchors):
        check_bot(file, f"rating.anchors[{number}]", anchor, names)
    seed = None if keys.seed is None else str(keys.seed)
    return Tournament(
        file=file,
        text=text,
        name=keys.name or folder_name(file.stem),
        seed=seed,
        cells=cells,
        bots=bots,
        paths=tuple(entrant.path for entrant in entrants),
        deals=keys.deals,
        seating=keys.seating,
        tables=keys.tables,
        chunk=keys.chunk,
        referee_config=make_referee_config(keys, sandbox),
        workers=None if isinstance(keys.workers, str) else keys.workers,
        cluster=cluster,
        rating=keys.rating,
        sandbox=limits_text(sandbox),
        stop=keys.stop,
        notes=(*notes, *uneven_deals_notes(cells, keys), *seed_notes(seed)),
    )


def is_writable_seed(seed: int | str | None) -> bool:
    """Whether a seed can be written to the run's file."""
    if isinstance(seed, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in seed)
    return seed is None or seed.bit_length() <= MAX_SEED_BITS


def make_referee_config(keys: TournamentKeys, sandbox: Sandbox) -> RefereeConfig:
    """The configuration of the referee that the keys of a file ask for."""
    faults = FaultKeys(policy=keys.faults) if isinstance(keys.faults, FaultPolicy) else keys.faults
    return RefereeConfig(
        limits=keys.clock if isinstance(keys.clock, Limits) else None,
        policy=faults.policy,
        max_faults=faults.retire,
        anonymous=keys.anonymous,
        sandbox=sandbox,
    )


def folder_name(stem: str) -> str:
    """The name of the run's folder, made from that of the file."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:MAX_NAME_LENGTH] or "tournament"


def tables_setting(tables: str | TableKeys) -> str | dict[str, Any]:
    """The value of the key `tables`, as in a file."""
    return tables if isinstance(tables, str) else given_keys(tables)


def given_keys(tables: TableKeys) -> dict[str, Any]:
    """The keys of `tables` that the file sets, with their values."""
    keys = msgspec.structs.asdict(tables)
    return {key: value for key, value in keys.items() if value is not None}


def check_values(file: Path, keys: TournamentKeys) -> None:
    """Reject values that have the right type and make no sense."""
    if isinstance(keys.clock, Limits):
        for key, seconds in msgspec.structs.asdict(keys.clock).items():
            if not isfinite(seconds):
                raise BadTournament(
                    f"{file}: $.clock.{key}: {seconds} is no time; it takes "
                    f"{KEY_HELP['clock.' + key]}, and 'clock: none' lets bots take theirs"
                )
    if keys.seed == "":
        raise BadTournament(f"{file}: $.seed: it is empty; it takes {KEY_HELP['seed']}")
    if not is_writable_seed(keys.seed):
        raise BadTournament(
            f"{file}: $.seed: nobody could write it down; it takes {KEY_HELP['seed']}"
        )


def check_tables(file: Path, tables: str | TableKeys, names: Collection[str], seats: int) -> None:
    """Reject `tables` without a key or with two, and too many tables to choose from."""
    if isinstance(tables, str):
        every = comb(len(names), seats)
        if tables == "adaptive" and every > MAX_CHOSEN_TABLES:
            raise BadTournament(
                f"{file}: $.tables: there are {every:,} tables of {seats}, too many to choose as "
                "many; say how many it should be, such as {adaptive: 1000}"
            )
        return
    if len(given_keys(tables)) != 1:
        raise BadTournament(f"{file}: $.tables: it takes one of {KEY_HELP['tables']}")
    if tables.gauntlet is not None:
        check_bot(file, "tables.gauntlet", tables.gauntlet, names)


def check_bot(file: Path, key: str, name: str, names: Collection[str]) -> None:
    """Reject the name of a bot that does not take part."""
    if name not in names:
        hint = spelling_hint(name, names)
        raise BadTournament(f"{file}: $.{key}: no bot {name!r} takes part; {hint}")


def uneven_deals_notes(cells: Collection[Cell], keys: TournamentKeys) -> list[str]:
    """Notes on numbers of deals that leave a design unbalanced."""
    notes = []
    for seats in sorted({cell.seats for cell in cells}):
        size = len(design(keys.seating, seats))
        if keys.deals % size:
            more = -(-keys.deals // size) * size
            notes.append(
                f"With {seats} seats neighbours are even after every {size} deals: "
                f"'deals: {more}' would be better than {keys.deals}."
            )
    return notes


def seed_notes(seed: str | None) -> list[str]:
    """A warning about a seed that is easy to guess."""
    return [GUESSABLE_SEED_NOTE] if seed is not None and is_guessable(seed) else []
