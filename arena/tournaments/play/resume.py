"""Start or resume a run; refuse if its settings, bots or seed have changed."""

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

import arena
from arena.bots.digest import SHORT_DIGITS, is_same_version
from arena.bots.sandbox.host import check_hidden
from arena.errors import ArenaError
from arena.games.catalog import english_list
from arena.store.database import RUN_FILE
from arena.store.header import Entrant, RunHeader, canonical_json
from arena.store.run import Run
from arena.tournaments.config.resolve import DEFAULT_LIMITS
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.deals import commitment

SettingValues = Mapping[str, Any]

FIXED_SETTINGS = {
    "protocol": "the protocol",
    "seating": "'seating'",
    "clock": "'clock'",
    "faults": "'faults'",
    "games": "the number of games at once",
    "anonymous": "'anonymous'",
    "chunk": "'chunk'",
}
"""Under others of these the same games would be others."""

FREE_SETTINGS = {"stop": "'stop'"}
"""These decide no game, only in which order and until when they are played."""


def find_changes(old: SettingValues, new: SettingValues) -> tuple[list[str], list[str]]:
    """What makes it another run, and what may change while it goes on; each a part of a sentence.

    A run goes on if everything it has played would be planned again. Seeds are not compared here:
    a drawn one stands in no file.
    """
    refused = [
        f"{what} was {setting_text(old.get(key))} and is now {setting_text(new.get(key))}"
        for key, what in FIXED_SETTINGS.items()
        if old.get(key) != new.get(key)
    ]
    allowed = [
        f"{what} was {setting_text(old.get(key))} and is now {setting_text(new.get(key))}"
        for key, what in FREE_SETTINGS.items()
        if old.get(key) != new.get(key)
    ]
    chosen = table_kind(old["tables"]) in {"sample", "adaptive"}
    for gone, come, fixed in (cell_changes(old, new), bot_changes(old, new)):
        refused += gone
        if fixed and chosen:
            refused += [f"{change}, with which other tables would be chosen" for change in come]
        else:
            allowed += come
    for change, harmless in (
        *deal_changes(old, new),
        *table_changes(old, new),
        *limit_changes(old, new),
    ):
        (allowed if harmless else refused).append(change)
    return refused, allowed


def cell_changes(old: SettingValues, new: SettingValues) -> tuple[list[str], list[str], bool]:
    """Variants and seats that are gone, and those that came, on which adaptive tables depend."""
    before, now = ([f"{name} with {seats} seats" for name, seats in x["cells"]] for x in (old, new))
    gone = [f"{cell} is gone" for cell in before if cell not in now]
    come = [f"{cell} is new" for cell in now if cell not in before]
    return gone, come, table_kind(old["tables"]) == "adaptive"


def bot_changes(old: SettingValues, new: SettingValues) -> tuple[list[str], list[str], bool]:
    """Bots that are gone or changed, and those that came; the choice of tables depends on them."""
    before, now = old["bots"], new["bots"]
    gone = [f"{name} is gone" for name in before if name not in now]
    other = [
        f"{name} is another version than this run began with "
        f"({digest[:SHORT_DIGITS]}, now {now[name][:SHORT_DIGITS]})"
        for name, digest in before.items()
        if not is_same_version(now.get(name, digest), digest)
    ]
    return [*gone, *other], [f"{name} is new" for name in now if name not in before], True


def deal_changes(old: SettingValues, new: SettingValues) -> Iterator[tuple[str, bool]]:
    """Another number of deals: more do no harm unless tables are chosen by what has been played."""
    before, now = old["deals"], new["deals"]
    if before != now:
        harmless = before < now and table_kind(old["tables"]) != "adaptive"
        yield f"'deals' was {before} and is now {now}", harmless


def table_changes(old: SettingValues, new: SettingValues) -> Iterator[tuple[str, bool]]:
    """Other tables: a longer sample begins like a shorter one."""
    before, now = old["tables"], new["tables"]
    if before != now:
        harmless = (
            table_kind(before) == table_kind(now) == "sample" and before["sample"] < now["sample"]
        )
        yield f"'tables' was {setting_text(before)} and is now {setting_text(now)}", harmless


def limit_changes(old: SettingValues, new: SettingValues) -> Iterator[tuple[str, bool]]:
    """Other limits of the sandbox, within which bots may play otherwise."""
    before, now = old["sandbox"], new["sandbox"]
    if before != now:
        told = ["as usual" if each == DEFAULT_LIMITS else each for each in (before, now)]
        yield f"the limits of 'sandbox' were {told[0]} and are now {told[1]}", False


def table_kind(tables: str | Mapping[str, Any]) -> str:
    """How tables are asked for."""
    return tables if isinstance(tables, str) else next(iter(tables))


def setting_text(value: object) -> str:
    """A setting as it would stand in a file."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {setting_text(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return english_list(map(setting_text, value)) if value else "nothing"
    if value is None:
        return "not there"
    return str(value).lower() if isinstance(value, bool) else str(value)


SEED_BYTES = 32
"""Bytes of a seed that is drawn."""

GAME_CODE = ("bots", "cards", "games", "protocol", "referee", "tournaments/play/worker")
"""The parts of the program that decide how a game goes."""


@dataclass(frozen=True)
class OpenedRun:
    """A run that can be played."""

    run: Run
    is_new: bool
    changes: tuple[str, ...]
    """What is different from the last time, and does no harm."""


def open_run(tournament: Tournament, folder: Path) -> OpenedRun:
    """The run of a tournament in a folder; refused if what is there is another one."""
    check_hidden(folder)
    if not (folder / RUN_FILE).exists():
        seed = tournament.seed or secrets.token_hex(SEED_BYTES)
        run = Run.create(folder, run_header(tournament.with_seed(seed), seed))
        return OpenedRun(run, is_new=True, changes=())
    run = Run.open_for_writing(folder)
    try:
        given = tournament.seed
        tournament = tournament.with_seed(run.header.seed)
        refused, allowed = find_changes(run.header.settings, tournament.settings())
        if given not in {None, run.header.seed}:
            refused.append("the seed is another one")
        if not refused:
            about = run_header(tournament, run.header.seed, run.header.created)
            if canonical_json(about.rating) != canonical_json(run.header.rating):
                allowed.append("bots are rated in another way")
            run.update(about)
            changes = (*allowed, *sandbox_changes(run, tournament), *program_changes(run))
            return OpenedRun(run, is_new=False, changes=changes)
    except BaseException:
        run.close()
        raise
    run.close()
    raise ArenaError(
        f"{folder} holds another run: {'; '.join(refused)}; put it back as it was, or play a new "
        "run with --out FOLDER"
    )


def run_header(tournament: Tournament, seed: str, created: str | None = None) -> RunHeader:
    """What a run of this tournament is about."""
    return RunHeader(
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


def program_changes(run: Run) -> list[str]:
    """Part of a sentence on a program that may play otherwise than the one that began."""
    if all(session.code == code_hash() for session in run.sessions()):
        return []
    return ["the program is another one; arena verify tells whether it still comes to the same"]


def sandbox_changes(run: Run, tournament: Tournament) -> list[str]:
    """Part of a sentence on bots that are walled in otherwise than at the last sitting."""
    before = next((one.sandbox for one in reversed(run.sessions()) if one.sandbox), None)
    now = tournament.terms.sandbox.level
    return [f"the sandbox was {before!r} and is now '{now}'"] if before not in {None, now} else []


def code_hash(parts: Iterable[str] = GAME_CODE) -> str:
    """A hash of parts of the program, by default of those that decide how a game goes."""
    digest = hashlib.sha256()
    root = Path(arena.__file__).parent
    for part in parts:
        place = root / part
        for file in sorted(place.glob("**/*.py")) or [root / f"{part}.py"]:
            digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]
