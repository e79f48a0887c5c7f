"""Encode messages as JSON lines, and decode what bots write into messages or `Malformed`."""

import json
import re
from typing import Any, NoReturn

from msgspec import ValidationError, convert
from msgspec.json import Decoder, Encoder

from arena.protocol.messages import Choose, FromBot, Message

MAX_DEPTH = 16
"""How many brackets may be open at once."""

MAX_NUMBER_LENGTH = 32
"""Characters of a number."""

_encoder = Encoder()
encode_lines = _encoder.encode_lines
"""Messages as lines, each with its newline."""

_answer_decoder: Decoder[Choose] = Decoder(FromBot)
"""Takes whatever a bot may say, since only then `type` has to be there."""

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.?)*+"?|([\[{])|([\]}])', re.DOTALL)
"""Brackets, and strings to skip them in, also one that never ends."""


class Malformed(Exception):
    """Why a line is not a message."""


def encode_message(message: Message) -> bytes:
    """Encode a message as a line, without its newline."""
    return _encoder.encode(message)


def decode_line(line: bytes) -> FromBot:
    """Decode a line of a bot, with or without its newline."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start} is not UTF-8") from None
    if not text.strip():
        raise Malformed("the line is empty")
    check_depth(text)
    try:
        found = json.loads(
            text,
            object_pairs_hook=reject_duplicate_keys,
            parse_constant=reject_constant,
            parse_int=parse_int,
            parse_float=parse_float,
        )
    except ValueError as error:
        raise Malformed(f"it is not JSON ({error}); only messages go to stdout") from None
    if not isinstance(found, dict):
        raise Malformed("it is not a JSON object")
    if "\\u" in text:
        check_surrogates(found)
    try:
        return convert(found, FromBot)  # type: ignore[no-any-return] # a union is no type
    except ValidationError as error:
        raise Malformed(str(error).replace("`", "")) from None


def decode_answers(lines: bytes) -> list[Choose] | None:
    """Decode whole lines of answers, or return None if they have to be decoded one by one.

    Five strings (`type`, `choose`, `id`, `choice` and the choice; with a note two more) are ten
    quotation marks. Where no line has more, none has a key twice or one that is not known, and no
    text that was skipped unread.
    """
    try:
        answers = _answer_decoder.decode_lines(lines)
    except (ValueError, RecursionError):
        return None
    marks = 0
    for answer in answers:
        if not isinstance(answer, Choose):
            return None
        marks += 10 if answer.note is None else 14
    count = len(answers)
    if lines.count(b'"') == marks and lines.count(b"\n") == lines.count(b"}\n") == count:
        return answers
    return None


def check_depth(text: str) -> None:
    """Refuse a text with too many brackets open at once, which a parser might choke on."""
    depth = 0
    for match in _BRACKETS.finditer(text):
        if match[1]:
            depth += 1
            if depth > MAX_DEPTH:
                raise Malformed(f"it nests deeper than {MAX_DEPTH} brackets")
        elif match[2]:
            depth -= 1


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object whose keys are all different."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} is there twice")
        found[key] = value
    return found


def check_surrogates(found: dict[str, Any]) -> None:
    """Refuse escapes that stand for half a character, wherever they are."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Malformed("half a surrogate pair is no character") from None


def reject_constant(word: str) -> NoReturn:
    """Refuse what some languages print and JSON does not know."""
    raise ValueError(f"{word} is no JSON number")


def limit_digits(digits: str) -> str:
    """A number as it is written, if it is not endless."""
    if len(digits) > MAX_NUMBER_LENGTH:
        raise ValueError(f"a number of {len(digits)} characters")
    return digits


def parse_int(digits: str) -> int:
    """A whole number."""
    return int(limit_digits(digits))


def parse_float(digits: str) -> float:
    """A number with a fraction or an exponent."""
    return float(limit_digits(digits))
