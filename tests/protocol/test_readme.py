"""The specification: its tables, its clauses, its bot and its conversation."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.cards import COLOURS
from arena.games.catalog import VARIANTS, variant
from arena.games.was_sticht.tasks import TASKS
from arena.protocol.messages import FaultKind
from arena.protocol.schema import STRUCTS
from arena.referee.live_game import Deal
from arena.referee.record import verify_record
from arena.referee.referee import Referee
from tests.protocol.examples import PROTOCOL_FOLDER
from tests.protocol.readme_tables import README, find_tables, make_table

TEXT = README.read_text()
CLAUSES = re.findall(r"^- \*\*([A-Z]\d+)\*\* ", TEXT, re.MULTILINE)
CONFORMANCE = Path(__file__).parent.parent.parent / "arena" / "conformance"


@pytest.mark.parametrize("name", STRUCTS)
def test_every_field_is_in_its_table(name: str) -> None:
    """With its type and what is written under it in the program."""
    assert find_tables(TEXT)[name] == make_table(name)


def test_clauses_are_numbered_in_order() -> None:
    for letter in {clause[0] for clause in CLAUSES}:
        numbers = [int(clause[1:]) for clause in CLAUSES if clause[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1)), letter


def test_every_clause_is_one_sentence() -> None:
    for clause, text in re.findall(r"^- \*\*(\w+)\*\* ((?:.+\n)(?:  .+\n)*)", TEXT, re.MULTILINE):
        assert not re.search(r"\. [A-Z]", text), clause
        assert text.endswith(".\n"), clause


def test_cited_clauses_exist() -> None:
    cited = {
        clause
        for file in CONFORMANCE.glob("*.py")
        for clause in re.findall(r"""["']([A-Z]\d{1,2})["']""", file.read_text())
    }
    assert cited <= set(CLAUSES)
    assert set(re.findall(r"\b([A-Z]\d+)\)", TEXT)) <= set(CLAUSES)


def test_every_fault_is_in_the_table() -> None:
    (part,) = re.findall(r"## Faults\n(.*?)\n## ", TEXT, re.DOTALL)
    assert set(re.findall(r"^\| `([a-z-]+)` \| .+ \| .+ \|$", part, re.MULTILINE)) == {
        *get_args(FaultKind),
        *re.findall(r"^\| `(type|game|id|fault|text)` \|", part, re.MULTILINE),
    }


def test_every_token_is_explained() -> None:
    for task in TASKS:
        assert f"`{task}`" in TEXT
    for letter, name in COLOURS.items():
        assert f"`{letter}` {name}" in TEXT


def block(language: str, beginning: str) -> str:
    """The block in this language that begins so."""
    (found,) = re.findall(rf"```{language}\n({re.escape(beginning)}.*?)```", TEXT, re.DOTALL)
    return str(found)


def test_the_conversation_is_from_its_transcript() -> None:
    heard = (
        (PROTOCOL_FOLDER / "transcripts" / "sticheln" / "three-seats.jsonl")
        .read_text()
        .splitlines()
    )
    lines = [line for line in block("text", "> ").splitlines() if line != "..."]
    place = -1
    for line in lines:
        to = {">": "bot", "<": "referee"}[line[0]]
        entry = json.dumps({"to": to, "message": json.loads(line[2:])}, separators=(",", ":"))
        place = heard.index(entry, place + 1)
    assert place == len(heard) - 1


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The bot of the page."""
    file = tmp_path / "anything.py"
    file.write_text(block("py", "import json"))
    assert len(file.read_text().splitlines()) <= 15
    return file


@pytest.mark.parametrize("name", [name for name in VARIANTS if "+" not in name])
def test_the_bot_of_the_page_plays(script: Path, name: str) -> None:
    bot = load_bot(script)
    seats = variant(name).seats[0]
    with Launcher() as launcher:
        referee = Referee(variant(name).game(seats), [bot] * seats, launcher)
        (played,) = referee.play([Deal(1)])
    assert not played.record.faults
    verify_record(played.record)


@pytest.mark.parametrize(
    "file", sorted((PROTOCOL_FOLDER / "transcripts").rglob("*.jsonl")), ids=str
)
def test_a_bot_can_be_tried_with_a_transcript(script: Path, file: Path) -> None:
    """Fed with all that the referee said, the bot answers every question legally."""
    heard = [json.loads(line) for line in file.read_text().splitlines()]
    said = [line["message"] for line in heard if line["to"] == "bot"]
    lines = "".join(f"{json.dumps(message)}\n" for message in said)
    done = subprocess.run(
        [sys.executable, str(script)], input=lines, capture_output=True, text=True, check=True
    )
    ready, *answers = map(json.loads, done.stdout.splitlines())
    questions = [message for message in said if message["type"] == "decide"]
    assert ready["type"] == "ready"
    assert [answer["id"] for answer in answers] == [question["id"] for question in questions]
    for answer, question in zip(answers, questions, strict=True):
        assert answer["choice"] in question["options"]
