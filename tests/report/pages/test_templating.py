"""Whatever strangers wrote is only ever text in a page."""

from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, UndefinedError
from markupsafe import Markup
from msgspec import UNSET

from arena.ratings.standings import StandingsLine
from arena.report.pages.templating import (
    MAX_LINES_LENGTH,
    chance,
    cpu,
    create_environment,
    format_day,
    format_time,
    one_line,
    rank_range,
    several_lines,
    share,
    sort_value,
)
from arena.sanitize import printable
from tests.cli.hostile_text import HOSTILE_TEXTS
from tests.report.plots.svg_reader import STRANGE_NAMES

SET_UP = create_environment()


def rendered(template: str, **told: Any) -> str:
    return SET_UP.from_string(template).render(**told)


@pytest.mark.parametrize("text", STRANGE_NAMES)
@pytest.mark.parametrize(
    "template",
    [
        "{{ text }}",
        "{{ text ~ '' }}",
        "{{ (text ~ '')[:] }}",
        "{{ text|string }}",
        "{{ [text][0] }}",
    ],
)
def test_text_and_attributes(text: str, template: str) -> None:
    shown = rendered(template, text=text)
    assert unescape(shown) == printable(text)
    assert not {"<", ">", '"', "'"} & set(shown)
    shown.encode()


def test_templates_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments share what is compiled, and nothing else."""
    first, second = create_environment(), create_environment()
    first.globals["own"] = 1
    assert "own" in first.get_template("standings.html").globals
    monkeypatch.delattr(Environment, "compile")
    assert "own" not in second.get_template("standings.html").globals


def test_markup_is_not_escaped() -> None:
    """Also the spaces at which no line is broken, which are not printable."""
    assert rendered("{{ one }}", one=Markup("<b>\u00a0</b>")) == "<b>\u00a0</b>"
    assert rendered("{{ number(-1234.56) }}") == "−1,234.6"
    assert "\u00a0" not in rendered("{{ one }}", one="\u00a0")


def test_undefined_variables_are_errors() -> None:
    with pytest.raises(UndefinedError):
        rendered("{{ nothing }}")


@given(st.text(alphabet=st.sampled_from("a<&\"'\t\r\n\x1b\u202e\u0301")))
def test_several_lines(text: str) -> None:
    shown = several_lines(text)
    lines = unescape(str(shown)).split("\n")
    assert lines == [printable(line.expandtabs()) for line in text.split("\n")]
    assert not {"<", '"', "'", "\x1b", "\r", "\t"} & set(shown)


def test_long_evidence_is_cut() -> None:
    shown = several_lines("x" * (3 * MAX_LINES_LENGTH))
    assert MAX_LINES_LENGTH <= len(shown) < MAX_LINES_LENGTH + 10


def test_nasty_lines_stay_apart() -> None:
    for text in HOSTILE_TEXTS.values():
        assert several_lines(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("say", "given_", "said"),
    [
        (share, None, "–"),
        (share, 0.1234, "12.3 %"),
        (share, 1.0, "100.0 %"),
        (chance, None, "–"),
        (chance, 0.9999, ">99 %"),
        (chance, 0.0001, "<1 %"),
        (cpu, None, "–"),
        (cpu, UNSET, "–"),
        (cpu, 0.25, "250 µs"),
        (cpu, 1500.0, "1.5 s"),
        (sort_value, None, ""),
        (sort_value, UNSET, ""),
        (sort_value, 25.0, "25"),
        (sort_value, -0.5, "-0.5"),
    ],
)
def test_figures(say: Any, given_: Any, said: str) -> None:
    assert say(given_).replace("\u00a0", " ") == said


@pytest.mark.parametrize(
    ("moment", "at", "on"),
    [
        ("2030-01-02T03:04:05+00:00", "2030-01-02 03:04 UTC", "2030-01-02"),
        ("2030-01-02T03:04:05.678Z", "2030-01-02 03:04 UTC", "2030-01-02"),
        ("2030-01-02T00:30:00+02:00", "2030-01-01 22:30 UTC", "2030-01-01"),
        ("2030-01-02T03:04", "2030-01-02 03:04 UTC", "2030-01-02"),
        ("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00"),
        ("<b>", "<b>", "<b>"),
        ("", "", ""),
    ],
)
def test_moments(moment: str, at: str, on: str) -> None:
    """What is none is shown as any text is."""
    shown = rendered("{{ when(moment) }}|{{ day(moment) }}", moment=moment)
    known = isinstance(format_time(moment), Markup)
    assert known == (at != moment)
    assert unescape(shown) == (f"<time>{at}</time>|{on}" if known else f"{at}|{on}")
    assert ("<b>" in shown) is False
    assert format_day(moment) == on


def test_several_lines_in_one() -> None:
    assert one_line(" one\n\ttwo \r\n three ") == "one two three"
    assert one_line("x" * 99, 10) == "xxxxx ... xxxxx"


@pytest.mark.parametrize(("ranks", "said"), [(None, "–"), ((2, 2), "2"), ((1, 4), "1–4")])
def test_ranks(ranks: tuple[int, int] | None, said: str) -> None:
    assert rank_range(StandingsLine(bot="ann", ranks=ranks, blocks=1, games=1, faults=0)) == said
