"""A bot that is ready to be launched: found, checked, built."""

import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from arena.bots import build, manifest
from arena.bots.build import OUTDOORS, Workshop
from arena.bots.contents import SHOWN, digest
from arena.bots.handover import leads_out
from arena.bots.interpreters import ENDINGS, argv_of, program
from arena.bots.manifest import FILE
from arena.errors import BadBot
from arena.printable import short

INHERITED = ("PATH", "HOME", "USER", "TMPDIR", "TZ")
"""What a bot finds in its environment as it is in ours; the rest is made from nothing."""


@dataclass(frozen=True)
class Bot:
    """A version of a bot, and how to run it."""

    name: str
    digest: str
    """The hash of all it consists of, by which versions are compared."""
    argv: tuple[str, ...]
    """Empty if it is to be run elsewhere."""
    folder: Path
    """Where it is run."""
    games: int | None = None
    memory: int | None = None
    """Bytes it may hold, if that is limited."""
    ignored: tuple[str, ...] = ()
    """What in its folder is no part of it."""
    alone: Path | None = None
    """The script or program that it is, if it has no folder of its own."""

    @property
    def version(self) -> str:
        """The digest as people are shown it, and as records and the keys of blocks have it."""
        return self.digest[:SHOWN]

    @property
    def home(self) -> Path:
        """All that belongs to it: its folder, or a file."""
        return self.alone or self.folder

    def environment(self) -> dict[str, str]:
        """The environment it runs in."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        return {**inherited, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def reference() -> dict[str, Path]:
    """The bots that come with the program, by their names."""
    folder = Path(__file__).parent.parent / "reference"
    return {file.parent.name: file.parent for file in sorted(folder.glob(f"*/{FILE}"))}


def find(named: str | Path, workshop: Workshop | None = OUTDOORS) -> Bot:
    """The bot in a folder with `bot.yaml`, a script or program that is one, or one by its name.

    Without a workshop it is neither built nor is anything looked for that runs it: it can be named
    and sent elsewhere, but not launched.
    """
    try:
        str(named).encode()
        return found(str(named), workshop)
    except UnicodeEncodeError:
        raise BadBot(f"{os.fsencode(named)!r} is not UTF-8; rename it") from None
    except OSError as error:
        raise BadBot(f"{named}: {error.strerror}") from error


def found(named: str, workshop: Workshop | None) -> Bot:
    """The same, where the file system allows it."""
    path = Path(named)
    if path.name == FILE:
        named, path = named.rpartition("/")[0], path.parent
    if not path.exists():
        path = reference().get(str(path), path)
    if path.is_dir():
        return in_folder(path, workshop)
    if not path.exists():
        what = f"a bot is a folder with {FILE}, a script or a program"
        raise BadBot(f"{named} does not exist: {what}{meant(named)}")
    if not path.is_file():
        raise BadBot(f"{path} is neither a file nor a folder")
    script = path.absolute()
    argv = tuple(argv_of(script)) if workshop else ()
    return Bot(path.stem, digest(script), argv, script.parent, alone=script)


def meant(named: str) -> str:
    """What may be meant by what does not exist: a bot beside it, or for a bare name one by name."""
    folder, slash, name = named.rstrip("/").rpartition("/")
    is_path = slash or name.startswith(".") or Path(name).suffix in ENDINGS
    known = [] if is_path else list(reference())
    like = get_close_matches(name, [*neighbours(Path(folder + slash)), *known], n=1)
    if like:
        return f"; did you mean {folder + slash + like[0]!r}?"
    return f"; by name there are {', '.join(known)}" if known else ""


def neighbours(folder: Path) -> list[str]:
    """What in a folder looks like a bot, as far as one may look."""
    try:
        return [path.name for path in folder.iterdir() if looks_like_a_bot(path)]
    except (OSError, ValueError):  # it has no such name, or is not to be looked into
        return []


def looks_like_a_bot(path: Path) -> bool:
    """Whether something that exists can be run as a bot."""
    if path.is_dir():
        return (path / FILE).is_file()
    return path.is_file() and (path.suffix in ENDINGS or os.access(path, os.X_OK))


def in_folder(folder: Path, workshop: Workshop | None) -> Bot:
    """The bot a folder holds."""
    if not (folder / FILE).is_file():
        near = [name for name in ("bot.yml", "Bot.yaml") if (folder / name).is_file()]
        hint = f"rename {near[0]} to it" if near else "write one, or name a script in it"
        raise BadBot(f"{folder} has no {FILE}; {hint}")
    told = manifest.load(folder / FILE)
    check_inside(folder, folder, "run", told.run[0])
    hashed = digest(folder, told.ignore)
    place = folder.absolute()
    if told.build and workshop:
        maker = told.build[0]
        check_inside(folder, folder, "build", maker)
        own = "/" in maker
        if not own:
            new = not build.place_of(hashed, workshop).is_dir()
            maker = program(maker, folder / FILE, "is built by", thorough=new)
        argv = [maker, *told.build[1:]]
        order = build.Order(place, argv, told.ignore, network=told.build_network, own=own)
        place = build.built(order, hashed, workshop)
    return Bot(
        name=told.name,
        digest=hashed,
        argv=(executable(place, told.run[0], folder), *told.run[1:]) if workshop else (),
        folder=place,
        games=told.games,
        memory=told.memory << 20 if told.memory else None,
        ignored=told.ignore,
    )


def check_inside(folder: Path, place: Path, key: str, name: str) -> None:
    """Refuse a program by a path that leads out of a bot's folder, whether it exists or not."""
    if "/" in name and leads_out(place / name, place, ()):
        raise BadBot(
            f"{folder / FILE}: $.{key}: {short(name)} is outside the bot's folder; name a program "
            "in the folder or one on PATH"
        )


def executable(place: Path, name: str, folder: Path) -> str:
    """The program to run: one in the bot's folder if there is a slash in its name."""
    if "/" not in name:
        return program(name, folder / FILE)
    check_inside(folder, place, "run", name)
    file = place / name
    if not file.is_file():
        made = "the build has not made" if place != folder.absolute() else "there is no"
        raise BadBot(f"{folder / FILE}: $.run: {made} {name}")
    if not os.access(file, os.X_OK):
        raise BadBot(f"{folder / FILE}: $.run: {name} is not executable; run 'chmod +x' on it")
    return str(file)
