"""The examples and transcripts are valid, complete and what the referee says today."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arena.games.catalog import VARIANTS
from arena.protocol.codec import decode_line
from arena.protocol.messages import MAX_LINE_BYTES
from arena.protocol.schema import FROM_BOT, TO_BOT, protocol_schema
from tests.protocol.examples import (
    NONDETERMINISTIC_TRANSCRIPTS,
    PROTOCOL_FOLDER,
    TRANSCRIPTS,
    examples,
    format_message,
    format_transcript,
    recording_of,
)

DEFINITIONS = protocol_schema()["$defs"]
EXAMPLES = sorted((PROTOCOL_FOLDER / "examples").rglob("*.json"))
FILES = sorted((PROTOCOL_FOLDER / "transcripts").rglob("*.jsonl"))
DIRECTIONS = {"bot": "ToBot", "referee": "FromBot"}


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": DEFINITIONS})


VALIDATORS = {name: validator(name) for name in (*TO_BOT, *FROM_BOT, *DIRECTIONS.values())}


def named(file: Path) -> str:
    return str(file.relative_to(PROTOCOL_FOLDER).with_suffix("").as_posix())


@pytest.mark.parametrize("file", EXAMPLES, ids=named)
def test_examples_are_valid(file: Path) -> None:
    message = json.loads(file.read_text())
    VALIDATORS[file.parent.name].validate(message)
    if file.parent.name in FROM_BOT:
        assert type(decode_line(json.dumps(message).encode())).__name__ == file.parent.name


def test_there_are_several_examples_of_every_message() -> None:
    count = Counter(file.parent.name for file in EXAMPLES)
    assert set(count) == {*TO_BOT, *FROM_BOT}
    assert min(count.values()) > 2


def test_every_kind_of_decision_is_among_the_examples() -> None:
    kinds = {json.loads(file.read_text()).get("kind") for file in EXAMPLES} - {None}
    described = DEFINITIONS["Decide"]["properties"]["kind"]["description"]
    assert kinds == set(described.replace(".", "`").split("`")[1:-2:2])


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts_are_up_to_date(name: str) -> None:
    """Played again with a real bot process, the same is said."""
    assert (PROTOCOL_FOLDER / "transcripts" / f"{name}.jsonl").read_text() == format_transcript(
        recording_of(name)
    )


def test_examples_are_up_to_date() -> None:
    found = {file.relative_to(PROTOCOL_FOLDER / "examples"): file.read_text() for file in EXAMPLES}
    assert found == {Path(f"{name}.json"): format_message(one) for name, one in examples().items()}


def test_every_transcript_file_is_generated() -> None:
    names = {named(file).removeprefix("transcripts/") for file in FILES}
    assert names == {*TRANSCRIPTS, *NONDETERMINISTIC_TRANSCRIPTS}


@pytest.mark.parametrize("file", FILES, ids=named)
def test_transcripts(file: Path) -> None:
    """Valid line by line; games begin and end, and every question is answered or settled."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    going: set[int] = set()
    asked: dict[int, dict[str, Any]] = {}
    settled: set[int] = set()
    for number, line in enumerate(lines):
        message = line["message"]
        VALIDATORS[DIRECTIONS[line["to"]]].validate(message)
        assert len(json.dumps(message)) < MAX_LINE_BYTES
        match message["type"]:
            case "hello":
                assert number == 0
            case "ready":
                assert number == 1
            case "start":
                going.add(message["game"])
                assert message["variant"] == file.parent.name in VARIANTS
            case "decide":
                assert message["game"] in going
                assert message["id"] not in asked
                asked[message["id"]] = message
            case "choose" if message["choice"] in asked.get(message["id"], {}).get("options", ()):
                settled.add(message["id"])
            case "choose":
                assert file.stem == "faults"
            case "fault":
                assert file.stem == "faults"
                settled.add(message["id"])
            case "result":
                going.remove(message["game"])
    assert not going
    assert set(asked) == settled
    assert asked


def test_a_game_is_taken_over_in_the_middle() -> None:
    lines = (
        (PROTOCOL_FOLDER / "transcripts" / "stick-em" / "taken-over.jsonl").read_text().splitlines()
    )
    first = next(m for m in (json.loads(line)["message"] for line in lines) if "options" in m)
    assert first["id"] > 1
    assert first["view"]["round"] > 0


def test_two_games_are_going_on_at_once() -> None:
    file = PROTOCOL_FOLDER / "transcripts" / "stick-em" / "two-games-at-once.jsonl"
    kinds = [json.loads(line)["message"]["type"] for line in file.read_text().splitlines()]
    assert kinds.count("start") == 2
    assert kinds.index("result") > [place for place, k in enumerate(kinds) if k == "start"][1]


@pytest.mark.parametrize(
    "recording", NONDETERMINISTIC_TRANSCRIPTS.values(), ids=NONDETERMINISTIC_TRANSCRIPTS
)
def test_nondeterministic_transcripts_can_be_recorded(recording: Any) -> None:
    said = Counter(line["message"]["type"] for line in recording())
    assert said["hello"] == said["ready"] == 1
    assert said["result"] == said["start"]
    assert said["choose"] == said["decide"] > 0
