"""Find a bot by path or name, check it and build it, so that it can be launched."""

import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from arena.bots import build, manifest
from arena.bots.build import UNSANDBOXED_BUILDS, BuildSettings
from arena.bots.build_folder import leads_out
from arena.bots.digest import SHORT_DIGITS, bot_digest
from arena.bots.interpreters import INTERPRETER_OF_SUFFIX, argv_of, find_program
from arena.bots.manifest import MANIFEST_FILE
from arena.errors import BadBot
from arena.sanitize import cut_middle

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
    script: Path | None = None
    """The script or program that it is, if it has no folder of its own."""

    @property
    def version(self) -> str:
        """The digest as people are shown it, and as records and the keys of blocks have it."""
        return self.digest[:SHORT_DIGITS]

    @property
    def path(self) -> Path:
        """All that belongs to it: its folder, or a file."""
        return self.script or self.folder

    def environment(self) -> dict[str, str]:
        """The environment it runs in."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        return {**inherited, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def builtin_bots() -> dict[str, Path]:
    """The bots that come with the program, by their names."""
    folder = Path(__file__).parent.parent / "reference"
    return {file.parent.name: file.parent for file in sorted(folder.glob(f"*/{MANIFEST_FILE}"))}


def load_bot(
    path_or_name: str | Path, build_settings: BuildSettings | None = UNSANDBOXED_BUILDS
) -> Bot:
    """The bot in a folder with `bot.yaml`, a script or program that is one, or one by its name.

    Without a workshop it is neither built nor is anything looked for that runs it: it can be named
    and sent elsewhere, but not launched.
    """
    try:
        str(path_or_name).encode()
        return resolve_bot(str(path_or_name), build_settings)
    except UnicodeEncodeError:
        raise BadBot(f"{os.fsencode(path_or_name)!r} is not UTF-8; rename it") from None
    except OSError as error:
        raise BadBot(f"{path_or_name}: {error.strerror}") from error


def resolve_bot(path_or_name: str, build_settings: BuildSettings | None) -> Bot:
    """The same, where the file system allows it."""
    path = Path(path_or_name)
    if path.name == MANIFEST_FILE:
        path_or_name, path = path_or_name.rpartition("/")[0], path.parent
    if not path.exists():
        path = builtin_bots().get(str(path), path)
    if path.is_dir():
        return load_folder(path, build_settings)
    if not path.exists():
        what = f"a bot is a folder with {MANIFEST_FILE}, a script or a program"
        raise BadBot(f"{path_or_name} does not exist: {what}{suggestion(path_or_name)}")
    if not path.is_file():
        raise BadBot(f"{path} is neither a file nor a folder")
    script = path.absolute()
    argv = tuple(argv_of(script)) if build_settings else ()
    return Bot(path.stem, bot_digest(script), argv, script.parent, script=script)


def suggestion(path_or_name: str) -> str:
    """What may be meant by what does not exist: a bot beside it, or for a bare name one by name."""
    folder, slash, name = path_or_name.rstrip("/").rpartition("/")
    is_path = slash or name.startswith(".") or Path(name).suffix in INTERPRETER_OF_SUFFIX
    known = [] if is_path else list(builtin_bots())
    like = get_close_matches(name, [*sibling_bots(Path(folder + slash)), *known], n=1)
    if like:
        return f"; did you mean {folder + slash + like[0]!r}?"
    return f"; by name there are {', '.join(known)}" if known else ""


def sibling_bots(folder: Path) -> list[str]:
    """What in a folder looks like a bot, as far as one may look."""
    try:
        return [path.name for path in folder.iterdir() if looks_like_a_bot(path)]
    except (OSError, ValueError):  # it has no such name, or is not to be looked into
        return []


def looks_like_a_bot(path: Path) -> bool:
    """Whether something that exists can be run as a bot."""
    if path.is_dir():
        return (path / MANIFEST_FILE).is_file()
    return path.is_file() and (path.suffix in INTERPRETER_OF_SUFFIX or os.access(path, os.X_OK))


def load_folder(folder: Path, build_settings: BuildSettings | None) -> Bot:
    """The bot a folder holds."""
    if not (folder / MANIFEST_FILE).is_file():
        near = [name for name in ("bot.yml", "Bot.yaml") if (folder / name).is_file()]
        hint = f"rename {near[0]} to it" if near else "write one, or name a script in it"
        raise BadBot(f"{folder} has no {MANIFEST_FILE}; {hint}")
    told = manifest.load(folder / MANIFEST_FILE)
    check_inside(folder, folder, "run", told.run[0])
    hashed = bot_digest(folder, told.ignore)
    place = folder.absolute()
    if told.build and build_settings:
        maker = told.build[0]
        check_inside(folder, folder, "build", maker)
        own = "/" in maker
        if not own:
            new = not build.folder_of(hashed, build_settings).is_dir()
            maker = find_program(maker, folder / MANIFEST_FILE, "is built by", thorough=new)
        argv = [maker, *told.build[1:]]
        order = build.BuildOrder(
            place, argv, told.ignore, needs_network=told.build_network, has_own_builder=own
        )
        place = build.build(order, hashed, build_settings)
    return Bot(
        name=told.name,
        digest=hashed,
        argv=(executable_path(place, told.run[0], folder), *told.run[1:]) if build_settings else (),
        folder=place,
        games=told.games,
        memory=told.memory << 20 if told.memory else None,
        ignored=told.ignore,
    )


def check_inside(folder: Path, place: Path, key: str, name: str) -> None:
    """Refuse a program by a path that leads out of a bot's folder, whether it exists or not."""
    if "/" in name and leads_out(place / name, place, ()):
        raise BadBot(
            f"{folder / MANIFEST_FILE}: $.{key}: {cut_middle(name)} is outside the bot's "
            f"folder; name a program "
            "in the folder or one on PATH"
        )


def executable_path(place: Path, name: str, folder: Path) -> str:
    """The program to run: one in the bot's folder if there is a slash in its name."""
    if "/" not in name:
        return find_program(name, folder / MANIFEST_FILE)
    check_inside(folder, place, "run", name)
    file = place / name
    if not file.is_file():
        made = "the build has not made" if place != folder.absolute() else "there is no"
        raise BadBot(f"{folder / MANIFEST_FILE}: $.run: {made} {name}")
    if not os.access(file, os.X_OK):
        raise BadBot(
            f"{folder / MANIFEST_FILE}: $.run: {name} is not executable; run 'chmod +x' on it"
        )
    return str(file)
