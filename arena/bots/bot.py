"""Find a bot by path or name, check it and build it, so that it can be launched."""

import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from arena.bots import build, manifest
from arena.bots.build import UNSANDBOXED_BUILDS, BuildSettings
from arena.bots.build_folder import leads_out
from arena.bots.digest import SHORT_DIGITS, bot_digest
from arena.bots.interpreters import INTERPRETER_OF_SUFFIX, find_program, script_argv
from arena.bots.manifest import MANIFEST_FILE
from arena.errors import BadBot
from arena.reference import REFERENCE_BOTS
from arena.sanitize import cut_middle

INHERITED = ("PATH", "HOME", "USER", "TMPDIR", "TZ")
"""Variables that a bot without a sandbox inherits; the others are set for it."""


@dataclass(frozen=True)
class Bot:
    """A version of a bot, and how to run it."""

    name: str
    digest: str
    """The hash of all its files, by which versions are compared."""
    argv: tuple[str, ...]
    """Empty if it was loaded without build settings, to be run on another machine."""
    folder: Path
    """The folder in which it runs."""
    games: int | None = None
    memory: int | None = None
    """Bytes it may hold, if that is limited."""
    ignored: tuple[str, ...] = ()
    """Names of files in its folder that are not part of it."""
    script: Path | None = None
    """Its only file, if it is a script or a program without a folder."""

    @property
    def version(self) -> str:
        """The beginning of the digest, which is shown to people, and stands in records and keys."""
        return self.digest[:SHORT_DIGITS]

    @property
    def path(self) -> Path:
        """Its only file, or else its folder."""
        return self.script or self.folder

    def environment(self) -> dict[str, str]:
        """The environment that it runs in without a sandbox."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        return {**inherited, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def builtin_bots() -> dict[str, Path]:
    """The folders of the bots that come with the program, by name."""
    files = sorted(REFERENCE_BOTS.glob(f"*/{MANIFEST_FILE}"))
    return {file.parent.name: file.parent for file in files}


def load_bot(
    path_or_name: str | Path, build_settings: BuildSettings | None = UNSANDBOXED_BUILDS
) -> Bot:
    """Load a bot: a folder with `bot.yaml`, a script or program, or the name of a built-in bot.

    Without build settings it is not built and its interpreter is not looked up: it can be named and
    sent to another machine, but not launched.
    """
    try:
        str(path_or_name).encode()
        return resolve_bot(str(path_or_name), build_settings)
    except UnicodeEncodeError:
        raise BadBot(f"{os.fsencode(path_or_name)!r} is not UTF-8; rename it") from None
    except OSError as error:
        raise BadBot(f"{path_or_name}: {error.strerror}") from error


def resolve_bot(path_or_name: str, build_settings: BuildSettings | None) -> Bot:
    """Load a bot; errors of the file system are not handled here."""
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
    argv = tuple(script_argv(script)) if build_settings else ()
    return Bot(path.stem, bot_digest(script), argv, script.parent, script=script)


def suggestion(path_or_name: str) -> str:
    """A hint for a path that does not exist: a similar bot beside it, or a built-in one."""
    folder, slash, name = path_or_name.rstrip("/").rpartition("/")
    is_path = slash or name.startswith(".") or Path(name).suffix in INTERPRETER_OF_SUFFIX
    known = [] if is_path else list(builtin_bots())
    like = get_close_matches(name, [*sibling_bots(Path(folder + slash)), *known], n=1)
    if like:
        return f"; did you mean {folder + slash + like[0]!r}?"
    return f"; by name there are {', '.join(known)}" if known else ""


def sibling_bots(folder: Path) -> list[str]:
    """The names of what looks like a bot in a folder; empty if it cannot be read."""
    try:
        return [path.name for path in folder.iterdir() if looks_like_a_bot(path)]
    except (OSError, ValueError):  # the name is not valid, or the folder cannot be read
        return []


def looks_like_a_bot(path: Path) -> bool:
    """Whether a path that was listed may be a bot."""
    if path.is_dir():
        return (path / MANIFEST_FILE).is_file()
    return path.suffix in INTERPRETER_OF_SUFFIX or (path.is_file() and os.access(path, os.X_OK))


def load_folder(folder: Path, build_settings: BuildSettings | None) -> Bot:
    """Load the bot in a folder, and build it if it has a build."""
    if not (folder / MANIFEST_FILE).is_file():
        near = [name for name in ("bot.yml", "Bot.yaml") if (folder / name).is_file()]
        hint = f"rename {near[0]} to it" if near else "write one, or name a script in it"
        raise BadBot(f"{folder} has no {MANIFEST_FILE}; {hint}")
    keys = manifest.load_manifest(folder / MANIFEST_FILE)
    check_inside(folder, folder, "run", keys.run[0])
    digest = bot_digest(folder, keys.ignore)
    place = folder.absolute()
    if keys.build and build_settings:
        builder = keys.build[0]
        check_inside(folder, folder, "build", builder)
        is_own = "/" in builder
        if not is_own:
            is_new = not build.build_location(digest, build_settings).is_dir()
            builder = find_program(builder, folder / MANIFEST_FILE, "is built by", thorough=is_new)
        argv = [builder, *keys.build[1:]]
        order = build.BuildOrder(
            place, argv, keys.ignore, needs_network=keys.build_network, has_own_builder=is_own
        )
        place = build.build(order, digest, build_settings)
    return Bot(
        name=keys.name,
        digest=digest,
        argv=(executable_path(place, keys.run[0], folder), *keys.run[1:]) if build_settings else (),
        folder=place,
        games=keys.games,
        memory=keys.memory << 20 if keys.memory else None,
        ignored=keys.ignore,
    )


def check_inside(folder: Path, place: Path, key: str, name: str) -> None:
    """Reject a path that leads out of the bot's folder, whether it exists or not."""
    if "/" in name and leads_out(place / name, place, ()):
        raise BadBot(
            f"{folder / MANIFEST_FILE}: $.{key}: {cut_middle(name)} is outside the bot's folder; "
            "name a program in the folder or one on PATH"
        )


def executable_path(place: Path, name: str, folder: Path) -> str:
    """The path of the program to run: in the bot's folder if its name has a slash."""
    if "/" not in name:
        return find_program(name, folder / MANIFEST_FILE)
    check_inside(folder, place, "run", name)
    file = place / name
    if not file.is_file():
        problem = "the build has not made" if place != folder.absolute() else "there is no"
        raise BadBot(f"{folder / MANIFEST_FILE}: $.run: {problem} {name}")
    if not os.access(file, os.X_OK):
        raise BadBot(
            f"{folder / MANIFEST_FILE}: $.run: {name} is not executable; run 'chmod +x' on it"
        )
    return str(file)
