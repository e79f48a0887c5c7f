"""Load a tournament from its YAML file, check its values, and find and build its bots."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from difflib import get_close_matches
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
"""Bits of a number."""
GUESSABLE_SEED_NOTE = (
    "The seed is short enough to be guessed from its commitment; leave the key out, and a long one "
    "is drawn when the run begins."
)


@dataclass(frozen=True)
class Tournament:
    """What is to be played, by whom, and on which terms."""

    file: Path
    text: str
    """What the file says."""
    name: str
    seed: str | None
    """The secret that the deals are made from; None: one is drawn when the run begins."""
    cells: tuple[Cell, ...]
    bots: tuple[Bot, ...]
    """In the order of their names, which are unique; their numbers here are theirs everywhere."""
    paths: tuple[str, ...]
    """Where each of them was found, or the name it was known by."""
    deals: int
    seating: Design
    tables: str | TableKeys
    chunk: int
    terms: RefereeConfig
    workers: int | None
    """None: one for each core."""
    cluster: SchedulerAddress | None
    """None: it is played on this machine."""
    rating: RatingKeys
    sandbox: str
    """What bots may use, as far as it is not as usual."""
    stop: StopKeys | None
    notes: tuple[str, ...] = ()
    """Sentences on what the file leads to, for whoever wrote it."""

    def with_seed(self, secret: str) -> "Tournament":
        """The same with its secret, once that is drawn."""
        return replace(self, seed=secret)

    @property
    def variants(self) -> tuple[str, ...]:
        """All that are played."""
        return tuple(sorted({cell.variant for cell in self.cells}))

    def bot_number(self, name: str) -> int:
        """The number of the bot of this name."""
        return next(number for number, bot in enumerate(self.bots) if bot.name == name)

    def settings(self) -> dict[str, Any]:
        """All that decides what is played and how, for JSON; the secret only as its commitment."""
        limits = self.terms.limits
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
            "faults": {"policy": str(self.terms.policy), "retire": self.terms.retire},
            "games": self.terms.games,
            "anonymous": self.terms.anonymous,
            "sandbox": self.sandbox,
            "stop": msgspec.to_builtins(self.stop),
        }


def load(
    file: Path, level: SandboxLevel | None = None, *, network: bool = False, on: str | None = None
) -> Tournament:
    """The tournament in a file; what is wrong with it is said with file and key.

    A level of the sandbox counts more than that in the file; the bots are built inside it. So does
    a cluster; bots that it plays are not built here.
    """
    text = yaml_file.read(file)
    keys = parse_keys(file, text)
    check_values(file, keys)
    cluster = find_scheduler(on, keys.backend, file)
    sandbox = find_sandbox(file, keys.sandbox, level, is_remote=cluster is not None)
    found = find_bots(file, keys.bots, None if cluster else BuildSettings(sandbox, network))
    if sandbox.system is SystemLocation.AUTO:
        sandbox = replace(sandbox, system=default_system(entrant.path for entrant in found))
    bots = tuple(entrant.bot for entrant in found)
    names = [bot.name for bot in bots]
    played, notes = find_cells(file, keys, len(bots))
    check_tables(file, keys.tables, names, max(cell.seats for cell in played))
    for number, anchor in enumerate(keys.rating.anchors):
        check_bot(file, f"rating.anchors[{number}]", anchor, names)
    seed = None if keys.seed is None else str(keys.seed)
    return Tournament(
        file=file,
        text=text,
        name=keys.name or folder_name(file.stem),
        seed=seed,
        cells=played,
        bots=bots,
        paths=tuple(entrant.path for entrant in found),
        deals=keys.deals,
        seating=keys.seating,
        tables=keys.tables,
        chunk=keys.chunk,
        terms=make_terms(keys, sandbox),
        workers=None if isinstance(keys.workers, str) else keys.workers,
        cluster=cluster,
        rating=keys.rating,
        sandbox=limits_text(sandbox),
        stop=keys.stop,
        notes=(*notes, *uneven_deals_notes(played, keys), *seed_notes(seed)),
    )


def is_writable_seed(seed: int | str | None) -> bool:
    """Whether a seed can be written down."""
    if isinstance(seed, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in seed)
    return seed is None or seed.bit_length() <= MAX_SEED_BITS


def make_terms(keys: TournamentKeys, sandbox: Sandbox) -> RefereeConfig:
    """The terms that the file's keys make."""
    faults = FaultKeys(policy=keys.faults) if isinstance(keys.faults, FaultPolicy) else keys.faults
    return RefereeConfig(
        limits=keys.clock if isinstance(keys.clock, Limits) else None,
        policy=faults.policy,
        retire=faults.retire,
        anonymous=keys.anonymous,
        sandbox=sandbox,
    )


def folder_name(stem: str) -> str:
    """A name that a folder can have, from that of the file."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:MAX_NAME_LENGTH] or "tournament"


def tables_setting(tables: str | TableKeys) -> str | dict[str, Any]:
    """The tables as they are asked for in a file."""
    return tables if isinstance(tables, str) else given_keys(tables)


def given_keys(tables: TableKeys) -> dict[str, Any]:
    """The keys of `tables` that the file sets, with their values."""
    keys = msgspec.structs.asdict(tables)
    return {key: value for key, value in keys.items() if value is not None}


def check_values(file: Path, keys: TournamentKeys) -> None:
    """Refuse what is typed well and makes no sense."""
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
    """Refuse tables that are asked for in no way or in two, or too many to choose from."""
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
    """Refuse the name of a bot that does not take part."""
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise BadTournament(f"{file}: $.{key}: no bot {name!r} takes part; {hint}")


def uneven_deals_notes(played: Collection[Cell], keys: TournamentKeys) -> list[str]:
    """Sentences on numbers of deals with which a design does not come out even."""
    notes = []
    for seats in sorted({cell.seats for cell in played}):
        size = len(design(keys.seating, seats))
        if keys.deals % size:
            more = -(-keys.deals // size) * size
            notes.append(
                f"With {seats} seats neighbours are even after every {size} deals: "
                f"'deals: {more}' would be better than {keys.deals}."
            )
    return notes


def seed_notes(seed: str | None) -> list[str]:
    """A sentence on a secret that is none."""
    return [GUESSABLE_SEED_NOTE] if seed is not None and is_guessable(seed) else []
