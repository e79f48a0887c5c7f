"""Rules for the names of owners and bots, and detection of names that look alike."""

import re
from collections.abc import Iterable
from typing import Final

NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z")
"""ASCII only, so that letters of other scripts cannot pass for these."""

SEPARATORS: Final = str.maketrans("", "", "._-")
LOOK_ALIKES: Final = (("0", "o"), ("1", "l"), ("i", "l"), ("rn", "m"), ("vv", "w"))
"""Characters that are easily taken for others; the first becomes the second."""


def skeleton(name: str) -> str:
    """What a name looks like: equal for names that a reader may take for the same."""
    found = name.casefold().translate(SEPARATORS)
    for one, other in LOOK_ALIKES:
        found = found.replace(one, other)
    return found


def find_look_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of some names that looks like this one."""
    wanted = skeleton(name)
    return next((one for one in others if skeleton(one) == wanted), None)


def canonical_name(name: str, known: Iterable[str]) -> str | None:
    """A name as it is known already, in the same letters or in other capitals."""
    same = [one for one in known if one.casefold() == name.casefold()]
    return name if name in same else next(iter(same), None)
