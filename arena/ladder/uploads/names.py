"""Names of entries: what strangers called their files, as paths that cannot lead anywhere else."""

import re
from functools import lru_cache
from unicodedata import normalize

from arena.bots import contents
from arena.ladder.uploads.allowance import Allowed, BadArchive, shown
from arena.printable import printable

Names = tuple[str, ...]

DRIVE = re.compile(r"[A-Za-z]:")
DEVICES = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9\u00b9\u00b2\u00b3]"
    r"|lpt[0-9\u00b9\u00b2\u00b3])[ ]*(\.|\Z)",
    re.IGNORECASE,
)
"""Names of devices, which Windows takes for them with any ending."""
RESERVED = frozenset('<>:"|?*')
"""Characters that a file name may not have on Windows; a colon names a hidden part of a file."""
MACINTOSH = "__MACOSX"
RESOURCE = "._"
"""How the names begin of what a Macintosh puts beside files in archives."""


def path_of(raw: bytes, allowed: Allowed) -> Names:
    """The names from the top down that an entry's name consists of; none for the top itself."""
    if len(raw) > allowed.path:
        raise BadArchive(f"the path {told(raw)} is longer than {allowed.path} bytes; shorten it")
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        raise BadArchive(f"the name {told(raw)} is not UTF-8; rename that file") from None
    if name in {".", "./"}:
        return ()
    path = tuple(name.removeprefix("./").removesuffix("/").split("/"))
    if not all(map(is_plain, path)):
        raise BadArchive(f"the name {told(raw)} holds characters that do not show; rename it")
    if "\\" in name:
        raise BadArchive(f"there is a backslash in {told(raw)}; use a program that writes '/'")
    if name.startswith("/") or DRIVE.match(path[0]):
        raise BadArchive(f"{told(raw)} is an absolute path; pack it relative to the bot's folder")
    if ".." in path:
        raise BadArchive(f"{told(raw)} leads out of the bot's folder; pack that folder only")
    if "" in path or "." in path:
        raise BadArchive(f"an entry is called {told(raw)!r}, which names no file; pack it again")
    if len(path) > allowed.depth:
        raise BadArchive(f"{told(raw)} is more than {allowed.depth} folders deep; flatten it")
    if any(len(part.encode()) > allowed.name for part in path):
        raise BadArchive(f"a name in {told(raw)} is longer than {allowed.name} bytes; shorten it")
    return path


def told(raw: bytes) -> str:
    """A name, for people."""
    return shown(raw.decode(errors="replace"))


@lru_cache(1 << 16)
def is_plain(part: str) -> bool:
    """Whether a name shows as it is."""
    return printable(part) == part


def check_portable(path: Names) -> None:
    """Refuse a path that other systems cannot keep, for people who download it there."""
    if not all(map(is_portable, path)):
        name = shown("/".join(path))
        raise BadArchive(f"{name} is a name that not every system can keep; rename it")


@lru_cache(1 << 16)
def is_portable(part: str) -> bool:
    """Whether other systems can keep a file by this name, and no other one by mistake."""
    ends_well = not part.endswith((".", " "))
    return ends_well and RESERVED.isdisjoint(part) and not DEVICES.match(part)


def is_left_out(path: Names) -> bool:
    """Whether tools have left it behind, and no bot needs it."""
    return any(
        part in contents.LEFT_OUT or part == MACINTOSH or part.startswith(RESOURCE) for part in path
    )


def folded(path: Names) -> Names:
    """The same for all paths that some file system takes for one."""
    return tuple(map(folded_part, path))


@lru_cache(1 << 16)
def folded_part(part: str) -> str:
    """The same for all names that differ only in case or in how letters are spelt."""
    return normalize("NFKC", normalize("NFKC", part).casefold())
