"""Tar archives, read strictly: to Python's own reader a damaged header is the end."""

from collections.abc import Iterator

from arena.ladder.uploads.allowance import BadArchive, Budget
from arena.ladder.uploads.entry import FILE, FOLDER, Entry
from arena.ladder.uploads.header import BLOCK, Header, amended, damaged, is_sparse, read, records
from arena.ladder.uploads.source import Source

LONG_NAME, LONG_LINK, NEXT, ALL = b"L", b"K", b"x", b"g"
"""Longer headers: they say something about the next entry, or about all of them."""

LONGEST = 1 << 20
"""Bytes of a longer header."""

KINDS = {
    b"0": FILE,
    b"\0": FILE,
    b"5": FOLDER,
    b"1": "a hard link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a pipe",
    b"S": "a sparse file",
}


def entries(source: Source, budget: Budget) -> Iterator[Entry]:
    """Everything in an archive, up to the zeros that are its end."""
    before: dict[bytes, dict[bytes, bytes]] = {}
    while any(block := source.read(BLOCK)):
        budget.list()
        header = read(block)
        if header.kind in {LONG_NAME, LONG_LINK, NEXT, ALL}:
            if header.kind in before:
                raise damaged(header.name)
            said = longer(header, source)
            if header.kind != ALL:
                before[header.kind] = said
            continue
        said = {key: value for each in before.values() for key, value in each.items()}
        header = amended(header, said)
        what = "a sparse file" if is_sparse(said) else what_is(header)
        before = {}
        content = source.exactly(header.size)
        yield Entry(header.name, what, bool(header.mode & 0o100), content)
        if header.size and what != FILE:
            raise damaged(header.name)
        for _ in content:  # what nobody wanted
            pass
        source.skip(-header.size % BLOCK)
    if before or not source.is_blank():
        raise BadArchive("there is something behind the end of the tar archive; pack it again")


def what_is(header: Header) -> str:
    """What an entry is; before there were kinds, a slash at the end made a folder."""
    if header.kind == b"\0" and header.name.endswith(b"/"):
        return FOLDER
    return KINDS.get(header.kind, "of a kind that only few programs know")


def longer(header: Header, source: Source) -> dict[bytes, bytes]:
    """What a longer header says, by key."""
    if header.size > LONGEST:
        raise damaged(header.name)
    raw = source.read(header.size)
    source.skip(-header.size % BLOCK)
    if header.kind == LONG_LINK:
        return {}  # links are refused, wherever they lead
    if header.kind == LONG_NAME:
        return {b"path": raw.removesuffix(b"\0")}
    said = records(raw, header.name)
    if header.kind == ALL and (said.keys() & {b"path", b"size"} or is_sparse(said)):
        raise BadArchive("it gives one name or size to all of its files; pack it again")
    return said
