"""Make untrusted text safe to print in terminals, JSON, CSV cells and file names."""

import json
import re
from collections.abc import Iterator
from unicodedata import category

import msgspec

FIRST_PRINTABLE = 0x20
CONTROL_PICTURES = 0x2400
"""Where Unicode has a visible sign for each control character."""

DELETE, DELETE_PICTURE = "\x7f", "␡"
UNKNOWN = "�"

INVISIBLE = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800),
            *(0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),
        ),
    )
)
"""Letters and marks that show nothing though Unicode has them as printable."""

MARK_CATEGORIES = ("Mn", "Me")
MAX_MARKS = 3
"""So many marks may stand on one letter; more of them would grow into the lines around."""

FORMULA_STARTS = tuple("=+-@＝＋－＠")
"""What a spreadsheet takes for the beginning of a formula, also as wide signs."""

MAX_FILE_NAME = 40
"""Characters of a file's name that are taken from a text."""

MAX_TEXT = 400
"""Characters of a text that are shown."""

MAX_VALUE = 80
"""Characters of a wrong value that are shown."""

MAX_INTEGER_BITS = 128
"""Bits of the largest number that is shown; Python refuses to write out very large ones."""


def printable(text: str) -> str:
    """Replace invisible and control characters by visible signs, for a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if shows else visible_sign(one) for one, shows in classify_characters(text))


def escape_unprintable(text: str) -> str:
    """Replace invisible and control characters by JSON escapes, for a file."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if shows else json_escape(one) for one, shows in classify_characters(text))


def cut_middle(text: str, max_length: int = MAX_TEXT) -> str:
    """Cut the middle out of a long text."""
    if len(text) <= max_length:
        return text
    half = max_length // 2
    return f"{text[:half]} ... {text[-half:]}"


def describe_value(value: object, max_length: int = MAX_VALUE) -> str:
    """Describe a value from a file in an error message; lists and mappings are not written out."""
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple | set):
        return "a list" if value else "an empty list"
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        return "a very large number"
    return cut_middle(repr(value), max_length)


def csv_cell(text: str) -> str:
    """A cell of a CSV file: a text that would be a formula begins with an apostrophe."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA_STARTS) else shown


def to_json(thing: object) -> str:
    """JSON in one line, in which what would not show is escaped: it can be read at a terminal."""
    try:
        encoded = msgspec.json.encode(thing)
    except UnicodeEncodeError:  # half a character, as in the name of a file that is not UTF-8
        plain = json.dumps(msgspec.to_builtins(thing), ensure_ascii=False, separators=(",", ":"))
        encoded = plain.encode(errors="replace")
    return escape_unprintable(encoded.decode())


def safe_file_name(name: str) -> str:
    """Part of a file's name: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:MAX_FILE_NAME]


def classify_characters(text: str) -> Iterator[tuple[str, bool]]:
    """Yield every character, and whether it is visible as it is."""
    marks = MAX_MARKS  # one at the very beginning would stand on what is not of this text
    for character in text:
        marks = marks + 1 if category(character) in MARK_CATEGORIES else 0
        yield (
            character,
            marks <= MAX_MARKS and character.isprintable() and character not in INVISIBLE,
        )


def visible_sign(character: str) -> str:
    """A sign for a character that is not seen."""
    if ord(character) < FIRST_PRINTABLE:
        return chr(CONTROL_PICTURES + ord(character))
    return DELETE_PICTURE if character == DELETE else UNKNOWN


def json_escape(character: str) -> str:
    """The character as JSON may spell it: as one or two units of UTF-16."""
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = (units[place : place + 2] for place in range(0, len(units), 2))
    return "".join(f"\\u{pair.hex()}" for pair in pairs)
