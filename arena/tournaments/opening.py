"""How a run is opened: begun, or gone on with if its file still means the same."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

import arena
from arena.bots.sandbox.sight import check_hidden
from arena.errors import ArenaError
from arena.store.database import FILE
from arena.store.header import Entrant, Header, canonical
from arena.store.run import Run
from arena.tournaments.changes import differences
from arena.tournaments.config import Tournament
from arena.tournaments.deals import commitment

SECRET = 32
"""Bytes of a seed that is drawn."""

DECIDE = ("bots", "cards", "games", "match", "protocol")
"""The parts of the program that decide how a game goes."""


@dataclass(frozen=True)
class Opened:
    """A run that can be played."""

    run: Run
    new: bool
    changes: tuple[str, ...]
    """What is different from the last time, and does no harm."""


def open_run(tournament: Tournament, folder: Path) -> Opened:
    """The run of a tournament in a folder; refused if what is there is another one."""
    check_hidden(folder)
    if not (folder / FILE).exists():
        seed = tournament.seed or secrets.token_hex(SECRET)
        run = Run.create(folder, header(tournament.with_seed(seed), seed))
        return Opened(run, new=True, changes=())
    run = Run.write(folder)
    try:
        given = tournament.seed
        tournament = tournament.with_seed(run.header.seed)
        refused, allowed = differences(run.header.settings, tournament.settings())
        if given not in {None, run.header.seed}:
            refused.append("the seed is another one")
        if not refused:
            about = header(tournament, run.header.seed, run.header.created)
            if canonical(about.rating) != canonical(run.header.rating):
                allowed.append("bots are rated in another way")
            run.update(about)
            changes = (*allowed, *other_walls(run, tournament), *other_program(run))
            return Opened(run, new=False, changes=changes)
    except BaseException:
        run.close()
        raise
    run.close()
    raise ArenaError(
        f"{folder} holds another run: {'; '.join(refused)}; put it back as it was, or play a new "
        "run with --out FOLDER"
    )


def header(tournament: Tournament, seed: str, created: str | None = None) -> Header:
    """What a run of this tournament is about."""
    return Header(
        name=tournament.name,
        text=tournament.text,
        settings=tournament.settings(),
        seed=seed,
        commitment=commitment(seed),
        bots=tuple(
            Entrant(bot.name, bot.digest, path)
            for bot, path in zip(tournament.bots, tournament.paths, strict=True)
        ),
        rating=msgspec.to_builtins(tournament.rating),
        created=created or datetime.now(UTC).isoformat(timespec="seconds"),
    )


def other_program(run: Run) -> list[str]:
    """Part of a sentence on a program that may play otherwise than the one that began."""
    if all(session.code == code() for session in run.sessions()):
        return []
    return ["the program is another one; arena verify tells whether it still comes to the same"]


def other_walls(run: Run, tournament: Tournament) -> list[str]:
    """Part of a sentence on bots that are walled in otherwise than at the last sitting."""
    before = next((one.sandbox for one in reversed(run.sessions()) if one.sandbox), None)
    now = tournament.terms.sandbox.level
    return [f"the sandbox was {before!r} and is now '{now}'"] if before not in {None, now} else []


def code(parts: Iterable[str] = DECIDE) -> str:
    """A hash of parts of the program, by default of those that decide how a game goes."""
    digest = hashlib.sha256()
    root = Path(arena.__file__).parent
    for part in parts:
        place = root / part
        for file in sorted(place.glob("**/*.py")) or [root / f"{part}.py"]:
            digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]
