"""Start or resume a run; refuse if its settings, bots or seed have changed."""

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

import arena
from arena.bots.digest import SHORT_DIGITS, is_same_version
from arena.bots.sandbox.host import check_hidden
from arena.errors import ArenaError
from arena.store.database import RUN_FILE
from arena.store.header import Entrant, RunHeader, canonical_json, utc_now
from arena.store.run import Run
from arena.text import english_list
from arena.tournaments.config.resolve import DEFAULT_LIMITS
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.deals import commitment

SettingValues = Mapping[str, Any]

SEED_BYTES = 32
"""Bytes of a seed that is drawn."""

GAME_CODE = ("bots", "cards", "games", "protocol", "referee", "tournaments/play/worker")
"""The parts of the program that decide how a game goes."""

FIXED_SETTINGS = {
    "protocol": "the protocol",
    "seating": "'seating'",
    "clock": "'clock'",
    "faults": "'faults'",
    "games": "the number of games at once",
    "anonymous": "'anonymous'",
    "chunk": "'chunk'",
}
"""Settings that decide how games go; a run cannot be resumed with others."""

FREE_SETTINGS = {"stop": "'stop'"}
"""Settings that decide only the order of the games and when to stop."""


def find_changes(old: SettingValues, new: SettingValues) -> tuple[list[str], list[str]]:
    """Changes with which a run cannot be resumed, and those with which it can, as phrases.

    A run can be resumed if everything that it has played would be planned again. Seeds are not
    compared here: one that was drawn is in no file.
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
    are_tables_chosen = table_kind(old["tables"]) in {"sample", "adaptive"}
    for removed, added, affects_tables in (cell_changes(old, new), bot_changes(old, new)):
        refused += removed
        if affects_tables and are_tables_chosen:
            refused += [f"{change}, with which other tables would be chosen" for change in added]
        else:
            allowed += added
    for change, is_harmless in (
        *deal_changes(old, new),
        *table_changes(old, new),
        *limit_changes(old, new),
    ):
        (allowed if is_harmless else refused).append(change)
    return refused, allowed


def cell_changes(old: SettingValues, new: SettingValues) -> tuple[list[str], list[str], bool]:
    """Cells that were removed, cells that were added, and whether the tables depend on them."""
    before, now = (
        [f"{name} with {seats} seats" for name, seats in settings["cells"]]
        for settings in (old, new)
    )
    removed = [f"{cell} is gone" for cell in before if cell not in now]
    added = [f"{cell} is new" for cell in now if cell not in before]
    return removed, added, table_kind(old["tables"]) == "adaptive"


def bot_changes(old: SettingValues, new: SettingValues) -> tuple[list[str], list[str], bool]:
    """Bots that were removed or changed, bots that were added; the tables depend on them."""
    before, now = old["bots"], new["bots"]
    removed = [f"{name} is gone" for name in before if name not in now]
    changed = [
        f"{name} is another version than this run began with "
        f"({digest[:SHORT_DIGITS]}, now {now[name][:SHORT_DIGITS]})"
        for name, digest in before.items()
        if not is_same_version(now.get(name, digest), digest)
    ]
    added = [f"{name} is new" for name in now if name not in before]
    return [*removed, *changed], added, True


def deal_changes(old: SettingValues, new: SettingValues) -> Iterator[tuple[str, bool]]:
    """A change of the number of deals; more are harmless unless tables depend on results."""
    before, now = old["deals"], new["deals"]
    if before != now:
        is_harmless = before < now and table_kind(old["tables"]) != "adaptive"
        yield f"'deals' was {before} and is now {now}", is_harmless


def table_changes(old: SettingValues, new: SettingValues) -> Iterator[tuple[str, bool]]:
    """A change of the tables; a larger sample is harmless, since it begins like a smaller one."""
    before, now = old["tables"], new["tables"]
    if before != now:
        is_harmless = (
            table_kind(before) == table_kind(now) == "sample" and before["sample"] < now["sample"]
        )
        yield f"'tables' was {setting_text(before)} and is now {setting_text(now)}", is_harmless


def limit_changes(old: SettingValues, new: SettingValues) -> Iterator[tuple[str, bool]]:
    """A change of the limits of the sandbox, with which bots may play otherwise."""
    before, now = old["sandbox"], new["sandbox"]
    if before != now:
        texts = ["as usual" if limits == DEFAULT_LIMITS else limits for limits in (before, now)]
        yield f"the limits of 'sandbox' were {texts[0]} and are now {texts[1]}", False


def table_kind(tables: str | Mapping[str, Any]) -> str:
    """The kind of a setting `tables`: a word, or its only key."""
    return tables if isinstance(tables, str) else next(iter(tables))


def setting_text(value: object) -> str:
    """A setting as it is written in a file."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {setting_text(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return english_list(map(setting_text, value)) if value else "nothing"
    if value is None:
        return "not there"
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class OpenedRun:
    """A run that is open for writing and can be played."""

    run: Run
    is_new: bool
    changes: tuple[str, ...]
    """What has changed since the last session and is allowed, as phrases."""


def open_run(tournament: Tournament, folder: Path) -> OpenedRun:
    """Create or open the run of a tournament in a folder; reject the run of another tournament."""
    check_hidden(folder)
    if not (folder / RUN_FILE).exists():
        seed = tournament.seed or secrets.token_hex(SEED_BYTES)
        run = Run.create(folder, run_header(tournament.with_seed(seed), seed))
        return OpenedRun(run, is_new=True, changes=())
    run = Run.open_for_writing(folder)
    try:
        given_seed = tournament.seed
        tournament = tournament.with_seed(run.header.seed)
        refused, allowed = find_changes(run.header.settings, tournament.settings())
        if given_seed not in {None, run.header.seed}:
            refused.append("the seed is another one")
        if not refused:
            header = run_header(tournament, run.header.seed, run.header.created)
            if canonical_json(header.rating) != canonical_json(run.header.rating):
                allowed.append("bots are rated in another way")
            run.update(header)
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
    """The header of a run of this tournament."""
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
        created=created or utc_now(),
    )


def program_changes(run: Run) -> list[str]:
    """A phrase if the program has changed, which may change how games go."""
    if all(session.code == code_hash() for session in run.sessions()):
        return []
    return ["the program is another one; arena verify tells whether it still comes to the same"]


def sandbox_changes(run: Run, tournament: Tournament) -> list[str]:
    """A phrase if the level of the sandbox is not that of the last session."""
    before = next(
        (session.sandbox for session in reversed(run.sessions()) if session.sandbox), None
    )
    now = tournament.referee_config.sandbox.level
    return [f"the sandbox was {before!r} and is now '{now}'"] if before not in {None, now} else []


def code_hash(parts: Iterable[str] = GAME_CODE) -> str:
    """A hash of parts of the program, by default of those that decide how a game goes."""
    digest = hashlib.sha256()
    root = Path(arena.__file__).parent
    for part in parts:
        for file in sorted((root / part).glob("**/*.py")) or [root / f"{part}.py"]:
            digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]
