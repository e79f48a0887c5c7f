"""Format text for people: counts with their nouns, lists, and hints on misspelt names."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches


def english_list(parts: Iterable[str]) -> str:
    """The parts as a list in a sentence: a, b and c."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def plural(number: int, noun: str) -> str:
    """Format a count with its noun: 1 fault, 2,000 faults."""
    return f"{number:,} {noun}" + "s" * (number != 1)


def spelling_hint(name: str, names: Collection[str], listing: str = "there are") -> str:
    """The end of a message about an unknown name: the most similar name, or all names."""
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"{listing} {', '.join(names)}"
