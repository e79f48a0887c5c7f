"""Untrusted text has no effect, wherever it is printed."""

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli.output import (
    SafeConsole,
    error_text,
    escape_markdown,
    print_hanging,
    print_paragraph,
    safe_text,
)
from arena.sanitize import csv_cell, printable, safe_file_name, to_json

HARMFUL = "\x1b[2J\x9b[bold]x[/] :smile: \u202e"
HARMLESS = "␛[2J�[bold]x[/] :smile: �"


@given(st.text())
def test_safe_text_is_printable_without_markup(text: str) -> None:
    console = Console(file=StringIO(), force_terminal=True, width=10_000, highlight=False)
    with console.capture() as capture:
        console.print(safe_text(f"{text}[bold]x[/] :smile:"), soft_wrap=True)
    assert capture.get() == f"{printable(text)}[bold]x[/] :smile:\n"


def test_a_safe_console_prints_only_safe_text() -> None:
    """Also where the text was not made printable before."""
    screen = SafeConsole()
    table = Table.grid()
    table.add_row(HARMFUL)
    with screen.capture() as capture:
        screen.print(HARMFUL)
        screen.print(Text(f"{HARMFUL}\n{HARMFUL}", "red"))
        print_paragraph(screen, HARMFUL)
        screen.print(table)
    *lines, last, end = capture.get().split("\n")
    assert lines == [HARMLESS] * 4
    assert last.isprintable()
    assert end == ""


def test_no_line_of_a_text_passes_for_another() -> None:
    screen = SafeConsole()
    with screen.capture() as capture:
        print_hanging(screen, Text("said "), safe_text("no " * 100))
    first, *rest = capture.get().splitlines()
    assert first.startswith("said no")
    assert rest
    assert all(line.startswith("     no") for line in rest)


def test_errors() -> None:
    assert error_text("one\x1b[2J\r sentence") == "one␛[2J␍ sentence"
    assert error_text("it failed:\nError: x\n\x1b") == "it failed:\n  Error: x\n  ␛"
    assert len(error_text("x" * 10_000)) < 2100
    assert error_text("\n" * 1000).count("\n") == 41


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("=1", "'=1"),
        ("＝1", "'＝1"),
        (" -1", "' -1"),
        ("\t=1", "␉=1"),
        ("\r=1", "␍=1"),
    ],
)
def test_cells(text: str, shown: str) -> None:
    assert csv_cell(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", "a\\|b"),
        ("<b>&amp;", "\\<b\\>\\&amp;"),
        ("see www.x.example", "see www\\.x.example"),
        ("https://x.example", "https\\://x.example"),
        ("me@x.example", "me\\@x.example"),
        ("a\nb", "a␊b"),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown


def test_json() -> None:
    assert to_json({"a": "é\x9b\u202e\x7f"}) == '{"a":"é\\u009b\\u202e\\u007f"}'
    assert json.loads(to_json([HARMFUL])) == [HARMFUL]
    assert to_json(["name\udcff"]) == '["name?"]'


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("my-bot_2.1", "my-bot_2.1"),
        ("my bot", "my-bot"),
        ("../\x1b[2J\n東", "..-2J-"),
        ("x" * 300, "x" * 40),
    ],
)
def test_file_names(name: str, made: str) -> None:
    assert safe_file_name(name) == made
