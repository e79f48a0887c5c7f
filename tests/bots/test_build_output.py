"""What a build has printed is shown in short, and does nothing to a terminal."""

from io import BytesIO
from pathlib import Path

import pytest

from arena.bots.build import MAX_LINE, output_excerpt


def show(text: bytes) -> str:
    return output_excerpt(BytesIO(text), Path("/bot"), Path("/home/me/fox"))


@pytest.mark.parametrize("lines", [1, 10, 11, 20])
def test_short_output_is_shown_completely(lines: int) -> None:
    text = "\n".join(map(str, range(lines)))
    assert show(text.encode()) == show(f"{text}\n".encode()) == text


def test_the_middle_of_long_output_is_left_out() -> None:
    *first, gap, _ = show(b"x\n" * 21).splitlines()[:12]
    assert (first, gap) == (["x"] * 10, "... (1 lines) ...")


def test_no_output() -> None:
    assert show(b"") == "(it printed nothing)"


def test_a_line_without_an_end() -> None:
    assert len(show(b"x" * (100 * MAX_LINE))) < 10_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"/bot/main.c:1: no", "/home/me/fox/main.c:1: no"),
        (b"in '/bot'.", "in '/home/me/fox'."),
        (b"/usr/bot/x /bottle /bot.yaml", "/usr/bot/x /bottle /bot.yaml"),
        (b"\x1b[1;31mred\x1b[0m\r", "red"),
        (b"a\tb", "a       b"),
        (b"\x1b]0;title\x07", "␛]0;title␇"),
        (b"\xff\xfe", "��"),
    ],
)
def test_a_line(text: bytes, expected: str) -> None:
    assert show(text) == expected
