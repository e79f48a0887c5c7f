"""Every bot that misbehaves fails the step that is about it, by the clause it breaks."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as with_

from arena.bots.bot import Bot, load_bot
from arena.conformance.check import DEFAULT_LIMITS, StepResult, run_steps
from arena.conformance.steps import STEPS
from arena.errors import BadBot
from arena.games.catalog import variant
from tests.referee.game_helpers import (
    MISBEHAVING,
    misbehaving_bot,
    shared_launcher,
    shared_launchers,
)
from tests.suite.stages import soak_only

PATIENT = with_(DEFAULT_LIMITS, start=0.5, move=0.3, bank=0.2, wall=60.0)
IMPATIENT = with_(PATIENT, wall=3.0)
"""For bots that do nothing."""

FAIL = {
    "silent": ("handshake", "T5"),
    "slow_start": ("handshake", "T5"),
    "exits_at_once": ("handshake", "H1"),
    "says_hello_first": ("handshake", "F2"),
    "burns": ("games", "T1"),
    "burns_in_a_child": ("games", "T1"),
    "burns_in_orphans": ("games", "T1"),
    "burns_in_a_daemon": ("games", "T1"),
    "burns_in_children_nobody_waits_for": ("games", "T1"),
    "burns_without_a_trace": ("games", "T1"),
    "closes_stdin": ("games", "T2"),
    "pads_with_stale_answers": ("games", "A3"),
    "sleeps": ("games", "T2"),
    "floods_with_stale_answers": ("games", "A3"),
    "exits": ("games", "G3"),
    "exits_again_and_again": ("games", "G3"),
    "exits_when_not_asked": ("games", "G3"),
    "dies_from_a_signal": ("games", "G3"),
    "closes_stdout": ("games", "G3"),
    "exits_mid_line": ("games", "F1"),
    "half_line": ("games", "F1"),
    "endless_line": ("games", "F3"),
    "garbage": ("games", "F2"),
    "empty_line": ("games", "F2"),
    "invalid_utf8": ("games", "F2"),
    "nan": ("games", "F2"),
    "duplicate_keys": ("games", "F2"),
    "deep_nesting": ("games", "F2"),
    "huge_number": ("games", "F2"),
    "floods_stdout": ("games", "F2"),
    "illegal": ("games", "A2"),
    "wrong_id": ("games", "A3"),
    "unasked": ("games", "A3"),
    "ready_twice": ("games", "H1"),
    "memory_hog": ("games", "E4"),
    "answers_twice": ("answer", "A3"),
    "never_reads": ("answer", "G3"),
    "ponders": ("games", "T1"),
    "floods_stderr": ("stderr", "E1"),
    "ignores_term": ("eof", "S1"),
    "leaves_children": ("eof", "S3"),
}
"""The first step each bot fails, and the clause it breaks."""

PASS = ("innocent", "crlf", "closes_stderr", "fills_notes", "remembers", "slow_reader")
AT_ONCE = {"exits_at_once", "illegal", "garbage", "exits", "wrong_id"}
"""These fail within a moment."""

QUIET = {"silent", "sleeps", "half_line", "closes_stdin"}
REFUSED = {"plays_something_else"}


SAME = {
    "burns_in_a_child",
    "burns_in_a_daemon",
    "burns_in_children_nobody_waits_for",
    "burns_without_a_trace",
}
"""These differ from others only for the referee, which counts all CPU time alike."""


@pytest.fixture(scope="module", autouse=True)
def launcher() -> Iterator[None]:
    """One launcher for all checks."""
    with shared_launcher():
        yield


def steps(found: Bot, *names: str, patient: bool = True) -> Generator[StepResult, None, None]:
    """The outcomes one by one: who has seen enough leaves out the rest."""
    limits = PATIENT if patient else IMPATIENT
    variants = [variant(name) for name in names or ("stick-em",)]
    yield from run_steps(found, shared_launchers[0], variants, limits)


def outcomes(found: Bot, *names: str, patient: bool = True) -> list[StepResult]:
    return list(steps(found, *names, patient=patient))


def first_failure(found: Bot, *names: str, patient: bool = True) -> StepResult | None:
    """The first step that fails; those after it are not tried."""
    with closing(steps(found, *names, patient=patient)) as tried:
        return next((one for one in tried if one.passed is False), None)


def test_no_bot_is_forgotten() -> None:
    bots = {path.stem for path in MISBEHAVING.iterdir() if path.suffix != ".md"}
    assert bots - {"__pycache__", "__init__"} == FAIL.keys() | set(PASS) | REFUSED


def marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    """When a bot is checked."""
    return () if name in AT_ONCE else (pytest.mark.soak if name in SAME else pytest.mark.slow,)


@pytest.mark.parametrize(
    ("name", "expected"),
    [pytest.param(*row, marks=marks(row[0]), id=row[0]) for row in FAIL.items()],
)
def test_misbehaving(name: str, expected: tuple[str, str]) -> None:
    found = outcomes(misbehaving_bot(name), patient=name not in QUIET)
    failed = [outcome for outcome in found if outcome.passed is False]
    assert (failed[0].step, failed[0].clause) == expected, failed
    assert len(found) == len(STEPS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        name if name in {"crlf", "closes_stderr", "slow_reader"} else soak_only(name)
        for name in PASS
    ],
)
def test_behaving(name: str) -> None:
    assert all(outcome.passed for outcome in outcomes(misbehaving_bot(name)))


@pytest.mark.slow
def test_a_failed_step_shows_evidence() -> None:
    failed = next(one for one in outcomes(misbehaving_bot("illegal")) if not one.passed)
    assert failed.request is not None
    assert failed.request.startswith('{"type":"decide"')
    assert failed.reply is not None
    assert '"Z99"' in failed.reply
    ended = next(one for one in outcomes(misbehaving_bot("exits")) if not one.passed)
    assert "division by zero, or so" in ended.stderr


def test_a_bot_that_plays_nothing_asked_for() -> None:
    with pytest.raises(BadBot, match="plays none of the variants asked for"):
        outcomes(misbehaving_bot("plays_something_else"))


PARTS = {
    "READY": "{'type': 'ready', 'games': 1}",
    "START": "pass",
    "DECIDE": "pass",
    "OTHER": "pass",
}
"""A bot that plays well; a test changes one part or two."""

TEXT = """
import json, os, sys
known = set()
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        print(json.dumps(READY), flush=True)
    elif kind == "start":
        START
    elif kind == "decide":
        DECIDE
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][0]}
        print(json.dumps(answer), flush=True)
    else:
        OTHER
"""


CHANGES: list[tuple[dict[str, str], tuple[str, str] | None]] = [
    ({}, None),
    ({"DECIDE": "assert message['id'] < 2**31"}, ("id", "G3")),
    ({"OTHER": "assert kind != 'weather'"}, ("unknown", "G3")),
    ({"DECIDE": "assert 'later' not in message"}, ("unknown", "G3")),
    ({"DECIDE": "assert ' ' not in line"}, ("spelling", "G3")),
    ({"READY": "{'type': 'ready', 'games': os.getpid()}"}, ("offer", "H4")),
    ({"DECIDE": "message['clock']['move']"}, ("no-clock", "G3")),
    (
        {
            "DECIDE": "assert message['game'] in known or not message['view']['tricks'];"
            "known.add(message['game'])"
        },
        ("middle", "G3"),
    ),
    ({"OTHER": "assert kind != 'fault'"}, ("fault", "G3")),
    ({"DECIDE": "assert len(message['options']) < 40"}, ("options", "G3")),
    (
        {
            "READY": "{'type': 'ready', 'games': 2}",
            "START": "known.add(message['game']); assert len(known) == 1",
            "OTHER": "known.clear()",
        },
        ("interleaving", "G3"),
    ),
    ({"DECIDE": "assert message['view']['round'] < 1"}, ("games", "G3")),
    (
        {"DECIDE": "assert message['view']['round'] < 4 or message['view']['seat'] < 3"},
        ("tables", "G3"),
    ),
]


def write_changed_bot(folder: Path, parts: dict[str, str]) -> Bot:
    """A bot with some parts changed."""
    text = TEXT
    for word, part in {**PARTS, **parts}.items():
        text = text.replace(word, part)
    script = folder / "bot.py"
    script.write_text(text)
    return load_bot(script)


@pytest.mark.slow
@pytest.mark.parametrize(("parts", "expected"), CHANGES, ids=str)
def test_each_step_can_fail(
    tmp_path: Path, parts: dict[str, str], expected: tuple[str, str] | None
) -> None:
    names = ["stick-em", "sticheln+aggravated"] if expected == ("options", "G3") else []
    one = first_failure(write_changed_bot(tmp_path, parts), *names)
    assert (one and (one.step, one.clause)) == expected


@pytest.mark.soak
@pytest.mark.parametrize(("parts", "expected"), CHANGES, ids=str)
def test_each_step_can_fail_in_two_variants(
    tmp_path: Path, parts: dict[str, str], expected: tuple[str, str] | None
) -> None:
    """Also where more is played; the steps after it are tried as well."""
    found = outcomes(write_changed_bot(tmp_path, parts), "sticheln", "sticheln+aggravated")
    failed = [one for one in found if one.passed is False]
    assert [(one.step, one.clause) for one in failed[:1]] == ([expected] if expected else [])
    assert len(found) == len(STEPS)


@pytest.mark.slow
def test_the_manifest_limits_what_is_held_at_once() -> None:
    with closing(steps(replace(misbehaving_bot("innocent"), games=3))) as tried:
        held = next(one for one in tried if one.step == "interleaving")
    assert held.text == "3 games at once"
