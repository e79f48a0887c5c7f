"""What bots wrote, such as names, notes and faults, made harmless for a terminal."""

from rich.text import Text

CONTROL = 0x20
PICTURES = 0x2400
"""Where Unicode has a visible sign for each control character."""

DELETE, DELETE_PICTURE = "\x7f", "␡"
UNKNOWN = "�"


def printable(text: str) -> str:
    """The text with a visible sign for every character that would not show or would do more."""
    return text if text.isprintable() else "".join(map(sign, text))


def sign(character: str) -> str:
    """The character itself, if it is one that is simply printed."""
    if character.isprintable():
        return character
    if ord(character) < CONTROL:
        return chr(PICTURES + ord(character))
    return DELETE_PICTURE if character == DELETE else UNKNOWN


def safe(text: str, style: str = "") -> Text:
    """The text to be printed as it is: no escape sequence and no markup in it has any effect."""
    return Text(printable(text), style)
