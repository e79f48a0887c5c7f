"""Entrants: the bots that a tournament file names, found and built."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.bots.bot import Bot, find, reference
from arena.bots.build import OUTDOORS, Workshop
from arena.bots.interpreters import ENDINGS
from arena.bots.manifest import FILE
from arena.errors import BadBot
from arena.tournaments.document import BadTournament
from arena.tournaments.keys import MEANT, Entry, Name

LADDER = "ladder:"


class Entrant(NamedTuple):
    """A bot, and the path it was found at or the name it was known by."""

    bot: Bot
    path: str


def entrants(
    file: Path, entries: Sequence[str | Entry], workshop: Workshop | None = OUTDOORS
) -> list[Entrant]:
    """All bots of a tournament in the order of their names."""
    found: dict[str, tuple[Entrant, str]] = {}
    for number, entry in enumerate(entries):
        told = Entry(bot=entry) if isinstance(entry, str) else entry
        at = f"{file}: $.bots[{number}]"
        paths = list(meant(at, file.parent, told.bot))
        if told.alias and len(paths) > 1:
            raise BadTournament(
                f"{at}: 'as: {told.alias}' names one bot, but {told.bot} are {len(paths)}; "
                "name each by itself"
            )
        for path in paths:
            entrant = entered(at, path, told.alias, workshop)
            name = entrant.bot.name
            if name in found:
                raise BadTournament(
                    f"{at}: {name!r} already takes part, as {found[name][1]}; give one of them "
                    f"another name: {{bot: {seen_from(file, path)}, as: {name[:38]}-2}}"
                )
            found[name] = entrant, f"$.bots[{number}]"
    return [found[name][0] for name in sorted(found)]


def seen_from(file: Path, path: str) -> str:
    """A path as it would stand in the file."""
    return os.path.relpath(path, file.parent) if os.sep in path else path


def meant(at: str, folder: Path, bot: str) -> Iterator[str]:
    """The paths and names of bots that are meant by what stands in the file."""
    known = reference()
    if bot.startswith(LADDER):
        name = bot.removeprefix(LADDER).strip()
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise BadTournament(f"{at}: there is no bot {bot!r}; {hint}")
        yield name
    elif (folder / bot).exists() or not set(bot) & set("*?["):
        yield bot if bot in known and not (folder / bot).exists() else str(folder / bot)
    else:
        yield from matches(at, folder, bot)


def matches(at: str, folder: Path, pattern: str) -> list[str]:
    """The bots that a pattern matches, in a fixed order."""
    try:
        start = Path(pattern).anchor
        root = Path(start) if start else folder
        paths = sorted(root.glob(pattern.removeprefix(start)))
    except (ValueError, OSError, NotImplementedError) as error:
        raise BadTournament(f"{at}: {pattern} is no pattern of paths: {error}") from error
    found = [str(path) for path in paths if is_bot(path)]
    if not found:
        other = f", only {len(paths)} of something else" if paths else ""
        raise BadTournament(
            f"{at}: {pattern} matches no bot in {root}{other}; a bot is a folder with {FILE} or a "
            "script"
        )
    return found


def is_bot(path: Path) -> bool:
    """Whether a bot is meant where a pattern matches."""
    if path.is_dir():
        return (path / FILE).is_file()
    return path.suffix in ENDINGS or (path.is_file() and os.access(path, os.X_OK))


def entered(at: str, path: str, alias: str | None, workshop: Workshop | None) -> Entrant:
    """The bot at a path, built, under the name it takes part with."""
    if Path(path).name == FILE:
        path = str(Path(path).parent)
    try:
        bot = find(Path(path), workshop)
    except BadBot as error:
        raise BadTournament(f"{at}: {error}") from error
    name = alias or bot.name
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        raise BadTournament(
            f"{at}: {name!r} cannot be a bot's name in a tournament; "
            f"add 'as:' with another one, it takes {MEANT['bots.as']}"
        ) from None
    known = path if path in reference() and not Path(path).exists() else str(Path(path).resolve())
    return Entrant(replace(bot, name=name), known)
