"""What strangers wrote, without what would not simply show."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sanitize import cut_middle, escape_unprintable, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Grüße, 東京 ♥", "Grüße, 東京 ♥"),
        ("\x1b[2J", "␛[2J"),
        ("a\nb\tc\r\0", "a␊b␉c␍␀"),
        ("\x7f\x9b31m", "␡�31m"),
        ("a\u202eb\u200bc\u2028d\ud800", "a�b�c�d�"),
        ("a\u3164b\ufe0fc\u2800\u034f", "a�b�c��"),
        ("e\u0301\u0302\u0303\u0304x\u0301", "e\u0301\u0302\u0303�x\u0301"),
        ("\u0301\u0302x", "��x"),
        ("[red]x[/]", "[red]x[/]"),
    ],
)
def test_signs(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Grüße, 東京 ♥", "Grüße, 東京 ♥"),
        ("\x1b[2J\n", "\\u001b[2J\\u000a"),
        ("\x9b\u202e\ud800", "\\u009b\\u202e\\ud800"),
        ("\U000e0041", "\\udb40\\udc41"),
    ],
)
def test_escapes(text: str, shown: str) -> None:
    assert escape_unprintable(text) == shown


@given(st.text())
def test_they_are_all_printable_and_stay_so(text: str) -> None:
    for made in (printable, escape_unprintable):
        assert made(text).isprintable()
        assert made(made(text)) == made(text)


@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_json_stays_what_it_was(text: str) -> None:
    assert json.loads(escape_unprintable(json.dumps(text, ensure_ascii=False))) == text


def test_long_texts_lose_their_middle() -> None:
    assert cut_middle("x" * 400) == "x" * 400
    assert cut_middle("a" * 300 + "b" * 300) == "a" * 200 + " ... " + "b" * 200
    assert cut_middle("abcdef", 4) == "ab ... ef"
