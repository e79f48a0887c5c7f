"""What bots wrote does nothing to a terminal."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arena.cli.untrusted import printable, safe


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Grüße, 東京 ♥", "Grüße, 東京 ♥"),
        ("\x1b[2J", "␛[2J"),
        ("a\nb\tc\r\0", "a␊b␉c␍␀"),
        ("\x7f\x9b31m", "␡�31m"),
        ("a\u202eb\u200bc\u2028d\ud800", "a�b�c�d�"),
        ("[red]x[/]", "[red]x[/]"),
    ],
)
def test_signs(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_it_is_all_printable_and_no_markup(text: str) -> None:
    assert printable(text).isprintable()
    console = Console(file=StringIO(), force_terminal=True, width=10_000, highlight=False)
    with console.capture() as capture:
        console.print(safe(f"{text}[bold]x[/] :smile:"), soft_wrap=True)
    assert capture.get() == f"{printable(text)}[bold]x[/] :smile:\n"
