"""Whatever a bot writes is a message or `Malformed`, also where many answers are read at once."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.protocol.codec import (
    MAX_DEPTH,
    MAX_NUMBER_LENGTH,
    Malformed,
    decode_answers,
    decode_line,
    encode_message,
)
from arena.protocol.messages import MAX_LINE_BYTES, MAX_SAFE_INTEGER, Choose, FromBot, Ready

R7 = Choose(1, "R7")
LINE = b'{"type":"choose","id":1,"choice":"R7"}'


def with_field(text: bytes) -> bytes:
    """An answer with one more field."""
    return LINE[:-1] + b"," + text + b"}"


GOOD: list[tuple[bytes, FromBot]] = [
    (LINE, R7),
    (LINE + b"\n", R7),
    (LINE + b"\r\n", R7),
    (b" \t" + LINE + b" \n", R7),
    (b'{ "choice" : "R7",\r"id": 1 , "type":"choose" }', R7),
    (b'{"type":"choose","id":-0,"choice":"R7"}', Choose(0, "R7")),
    (b'{"type":"\\u0063hoose","\\u0069d":1,"choice":"\\u00527"}', R7),
    (b'{"type":"choose","id":%d,"choice":""}' % MAX_SAFE_INTEGER, Choose(MAX_SAFE_INTEGER, "")),
    (with_field(b'"note":null'), R7),
    (with_field(b'"note":"say \\"R7\\""'), Choose(1, "R7", 'say "R7"')),
    (with_field('"note":"ein Stück ♠"'.encode()), Choose(1, "R7", "ein Stück ♠")),
    (with_field(b'"note":"\\ud83c\\udccf"'), Choose(1, "R7", "🃏")),
    (with_field(b'"x":' + b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1)), R7),
    (with_field(b'"x":"' + b"[{" * MAX_DEPTH + b'"'), R7),
    (with_field(b'"x":' + b"9" * MAX_NUMBER_LENGTH), R7),
    (with_field(b'"x":1e999'), R7),
    (b'{"type":"ready"}', Ready()),
    (b'{"type":"ready","games":16,"variants":["sticheln*"]}', Ready("", "", 16, ("sticheln*",))),
]

BAD: list[tuple[bytes, str]] = [
    (b"", "empty"),
    (b"\n", "empty"),
    (b" \t\r\n", "empty"),
    (b"hello", "not JSON"),
    (b"\x00" + LINE, "not JSON"),
    (b"\xef\xbb\xbf" + LINE, "BOM"),
    (b"null", "not a JSON object"),
    (b'["choose",1,"R7"]', "not a JSON object"),
    (b'"choose"', "not a JSON object"),
    (LINE + LINE, "Extra data"),
    (LINE + b" " + LINE, "Extra data"),
    (LINE[:20], "not JSON"),
    (LINE[20:], "Extra data"),
    (LINE[:-1] + b",}", "not JSON"),
    (LINE.replace(b'"', b"'"), "not JSON"),
    (b'{"id":1,"choice":"R7"}', "missing required field type"),
    (b'{"type":"choose","choice":"R7"}', "missing required field id"),
    (b'{"type":"choose","id":1}', "missing required field choice"),
    (b'{"type":"hello","protocol":1}', "Invalid value 'hello'"),
    (b'{"type":1}', "Expected str"),
    (b'{"type":"choose","id":"1","choice":"R7"}', "Expected int"),
    (b'{"type":"choose","id":true,"choice":"R7"}', "Expected int"),
    (b'{"type":"choose","id":1.0,"choice":"R7"}', "Expected int"),
    (b'{"type":"choose","id":1e0,"choice":"R7"}', "Expected int"),
    (b'{"type":"choose","id":01,"choice":"R7"}', "not JSON"),
    (b'{"type":"choose","id":-1,"choice":"R7"}', ">= 0"),
    (b'{"type":"choose","id":%d,"choice":"R7"}' % (MAX_SAFE_INTEGER + 1), "<= "),
    (b'{"type":"choose","id":1,"choice":7}', "Expected str"),
    (b'{"type":"choose","id":1,"choice":"R\t7"}', "control character"),
    (b'{"type":"ready","games":0}', ">= 1"),
    (b'{"type":"ready","variants":"sticheln"}', "Expected array"),
    (with_field(b'"x":NaN'), "NaN is no JSON number"),
    (with_field(b'"x":Infinity'), "Infinity is no JSON number"),
    (with_field(b'"x":-Infinity'), "-Infinity is no JSON number"),
    (with_field(b'"choice":"R7"'), "'choice' is there twice"),
    (with_field(b'"\\u0063hoice":"B1"'), "'choice' is there twice"),
    (with_field(b'"x":{"a":1,"b":2,"a":1}'), "'a' is there twice"),
    (with_field(b'"x":' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH), "nests deeper"),
    (with_field(b'"x":' + b"[" * 60_000), "nests deeper"),
    (b"[" * MAX_LINE_BYTES, "nests deeper"),
    (b'{"a":' * 10_000, "nests deeper"),
    (with_field(b'"x":' + b"9" * (MAX_NUMBER_LENGTH + 1)), "a number of 33 characters"),
    (with_field(b'"x":0.' + b"0" * 60_000), "a number of 60002 characters"),
    (with_field(b'"x":"\xff"'), "not UTF-8"),
    (with_field(b'"\xc3\x28":1'), "not UTF-8"),
    (with_field(b'"x":"\xed\xa0\x80"'), "not UTF-8"),
    (with_field(b'"x":"\xc0\xaf"'), "not UTF-8"),
    (LINE.replace(b"R7", b"\\ud800"), "surrogate"),
    (LINE.replace(b"R7", b"\\udc00\\ud800"), "surrogate"),
    (LINE.replace(b"choose", b"\\ud800"), "surrogate"),
    (with_field(b'"note":"\\ud83c"'), "surrogate"),
    (with_field(b'"\\ud800":1'), "surrogate"),
]


@pytest.mark.parametrize(("line", "message"), GOOD)
def test_messages(line: bytes, message: FromBot) -> None:
    assert decode_line(line) == message
    assert decode_line(encode_message(message)) == message


@pytest.mark.parametrize(("line", "why"), BAD, ids=lambda part: repr(part)[:40])
def test_malformed(line: bytes, why: str) -> None:
    with pytest.raises(Malformed) as caught:
        decode_line(line)
    assert why in str(caught.value)
    str(caught.value).encode()  # so that it can be told to the bot


@pytest.mark.parametrize("field", [b'"x":"\\ud800"', b'"x":[{"y":"\\udc00"}]'])
def test_half_a_surrogate_pair_in_an_unknown_field(field: bytes) -> None:
    with pytest.raises(Malformed):
        decode_line(with_field(field))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = st.dictionaries(
    st.sampled_from(["type", "id", "choice", "note", "games", "variants", "name", "x"]),
    JSON | st.sampled_from(["choose", "ready", 1, "R7", ["hat-trick"]]),
)
NEARLY = (FIELDS | JSON).map(lambda value: json.dumps(value).encode())
"""What looks like a message, and what is at least JSON or nearly so."""


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """A good line with a piece of it replaced."""
    line = draw(st.sampled_from([line for line, _ in GOOD]))
    at = draw(st.integers(0, len(line)))
    piece = draw(st.binary(max_size=3) | st.sampled_from([b'"', b"\\", b"{", b"}", b"\n", b"\r"]))
    return line[:at] + piece + line[at + draw(st.integers(0, 3)) :]


@given(st.lists(st.binary() | NEARLY | broken(), min_size=10, max_size=10))
def test_any_line_is_a_message_or_malformed(lines: list[bytes]) -> None:
    for line in lines:
        try:
            message = decode_line(line)
        except Malformed as error:
            str(error).encode()
        else:
            assert isinstance(message, Ready | Choose)
            assert decode_line(encode_message(message)) == message


def one_by_one(lines: bytes) -> list[FromBot] | None:
    """What the lines hold, each looked at by itself; None if one is no message."""
    try:
        return [decode_line(line) for line in lines.split(b"\n")[:-1]]
    except Malformed:
        return None


ANSWER = st.builds(
    Choose,
    st.integers(0, MAX_SAFE_INTEGER),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)


@given(
    st.lists(ANSWER.map(encode_message) | broken() | st.sampled_from([LINE, b"", b" "]), max_size=5)
)
def test_reading_at_once_is_reading_one_by_one(lines: list[bytes]) -> None:
    text = b"".join(line + b"\n" for line in lines)
    answers = decode_answers(text)
    assert answers is None or answers == one_by_one(text)


@given(st.lists(ANSWER, min_size=1, max_size=5))
def test_plain_answers_are_read_at_once(answers: list[Choose]) -> None:
    """Unless there is a quotation mark in them, which looks like a further field."""
    text = b"".join(encode_message(answer) + b"\n" for answer in answers)
    marked = any('"' in answer.choice + (answer.note or "") for answer in answers)
    assert decode_answers(text) == (None if marked else answers)


ODD = [line for line, _ in GOOD[1:]] + [line for line, _ in BAD if len(line) < 1000]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("around", [b"%s\n", b"%s\n" + LINE + b"\n", LINE + b"\n%s\n"])
def test_odd_lines_among_others(odd: bytes, around: bytes) -> None:
    text = around % odd.rstrip(b"\n")
    answers = decode_answers(text)
    assert answers is None or answers == one_by_one(text)


@pytest.mark.parametrize(
    "text",
    [
        LINE + LINE + b"\n",
        LINE + b" " + LINE + b"\n",
        LINE + b"\n\n",
        b"\n" + LINE + b"\n",
        LINE[:24] + b"\n" + LINE[24:] + b"\n",
        LINE + LINE + b"\n" + LINE[:24] + b"\n" + LINE[24:] + b"\n",
        LINE + b"\r\n",
        LINE,
        b"[" * 100_000 + b"\n",
        b'{"type":"ready"}\n',
    ],
)
def test_answers_that_are_not_read_at_once(text: bytes) -> None:
    assert decode_answers(text) is None


@pytest.mark.parametrize(
    "other",
    [
        b'{"type":"choose","id":2,"choice":"R7","choice":"B1"}',
        b'{"type":"choose","id":2,"choice":"R7","x":"\xff"}',
        b'{"type":"choose","id":2,"choice":"\\"\\"\\"\\"R7"}',
    ],
)
def test_a_plain_line_does_not_hide_a_malformed_one(other: bytes) -> None:
    text = b'{"id":1,"choice":"R7"}\n' + other + b"\n"
    assert one_by_one(text) is None
    assert decode_answers(text) is None


def cost(make: Callable[[int], bytes], size: int) -> float:
    """The least CPU time that reading such a line takes."""
    line = make(size)
    spent = []
    for _ in range(7):
        before = time.process_time()
        with pytest.raises(Malformed):
            decode_line(line)
        decode_answers(line)
        spent.append(time.process_time() - before)
    return min(spent)


def many(part: Callable[[int], bytes], before: bytes = b"{", after: bytes = b"") -> Any:
    """Lines made of so many parts."""
    return lambda size: before + b",".join(map(part, range(size))) + after


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            many(lambda number: b'"%x":0' % number, b'{"ffffff":0,', b',"ffffff":0}'), id="first"
        ),
        pytest.param(many(lambda number: b'"%x":0' % number, b"{", b',"f":0,"0":1}'), id="early"),
        pytest.param(
            lambda size: (
                b"{"
                + b"".join(b'"%x":0,' % number for number in range(size))
                + b'"%x":0}' % (size - 1)
            ),
            id="last",
        ),
        pytest.param(lambda size: b'"' * 4 * size, id="quotes"),
        pytest.param(lambda size: b'"' + b"\\" * 8 * size, id="backslashes"),
        pytest.param(lambda size: b'{"x":"' + b'\\"' * 4 * size, id="escapes"),
        pytest.param(lambda size: b"[]" * 4 * size, id="brackets"),
        pytest.param(lambda size: b"{" + b" " * 8 * size, id="blanks"),
        pytest.param(lambda size: b'{"x":' + b"9" * 8 * size + b"}", id="digits"),
        pytest.param(lambda size: b'{"x":' + b"[]," * 3 * size, id="lists"),
    ],
)
def test_twice_the_line_is_not_four_times_the_work(make: Callable[[int], bytes]) -> None:
    """Eight times the line: linear work is 8 times as much, quadratic work 64 times."""
    small, large = 500, 4_000
    assert len(make(large)) <= MAX_LINE_BYTES
    assert cost(make, large) < 30 * max(cost(make, small), 50e-6)
