"""Scripts that carry values into a page: parsed as JSON, so that no key or text in them acts."""

import msgspec

from arena.printable import to_json


def assign(name: str, value: object) -> bytes:
    """A script that sets a value for others to find."""
    return f"(globalThis.Stichkampf ??= {{}}).{name} = {parsed(value)};\n".encode()


def call(name: str, value: object) -> bytes:
    """A script that hands a value to who has asked for it."""
    return f"Stichkampf.{name}({parsed(value)});\n".encode()


def parsed(value: object) -> str:
    """A value, written as a text that is parsed."""
    return f"JSON.parse({msgspec.json.encode(to_json(value)).decode()})"
