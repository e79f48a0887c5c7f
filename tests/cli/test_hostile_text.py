"""Whatever a bot says and is called: no command lets it do anything, at a terminal or in a pipe."""

import csv
import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import msgspec
import pytest
import yaml

from arena.referee.record import Record
from tests.cli.hostile_text import (
    HOSTILE_FILE_NAME,
    HOSTILE_TEXTS,
    SHORT_HOSTILE_TEXTS,
    check_harmless,
    read_json,
    run_on_terminal,
    run_piped,
    strings_in,
    write_bot,
)
from tests.cli.invoke import invoke_arena
from tests.cli.runs import create_run, make_header
from tests.suite.stages import soak_only
from tests.suite.tools import strip_sandbox_warning

pytestmark = pytest.mark.slow

NAME = "nasty"
BUILD = "#!/bin/sh\nprintf '\\033[2J\\nFORGED\\n\\302\\2332J'\nexit 3\n"


@dataclass(frozen=True)
class World:
    """What there is to look at."""

    folder: Path
    bot: Path
    """A script with a nasty name that says nasty things."""
    record: Path
    """A game of it."""
    tampered: Path
    """The same, but it does not come out as it is written down."""
    logs: Path
    file: Path
    """A tournament in which it takes part."""
    run: Path
    """The run of it."""
    half: Path
    """The same run once more."""
    strangers: Path
    """A run in which all names are nasty."""

    def game(self) -> str:
        """The id of a game of the run."""
        said = invoke_arena("games", self.run, "--json").stdout
        return str(json.loads(said.splitlines()[0])["id"])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("world")
    bot = write_bot(folder / f"{HOSTILE_FILE_NAME}.py")
    record, logs = folder / "game.jsonl", folder / "logs"
    words = ["play", "stick-em", bot, "random", "random", "--seed", 5]
    for shown in run_piped([*words, "--record", record, "--logs", logs], folder):
        check_harmless(shown)
    game = msgspec.json.decode(record.read_bytes(), type=Record)
    tampered = folder / "tampered.jsonl"
    other = msgspec.structs.replace(game, scores=tuple(99 for _ in game.scores))
    tampered.write_bytes(msgspec.json.encode(other) + b"\n")
    path = write_bot(folder / f"{HOSTILE_FILE_NAME.replace('[', '(')}.py")
    keys = {
        "variants": "stick-em",
        "seats": 3,
        "deals": 1,
        "seating": "rotations",
        "seed": "a secret of the tests",
        "bots": [{"bot": str(path), "as": NAME}, "ladder:random", "ladder:lowest"],
    }
    file = folder / f"{HOSTILE_FILE_NAME}.yaml"
    file.write_text(yaml.safe_dump(keys, allow_unicode=True))
    run, half = folder / f"run{HOSTILE_FILE_NAME}", folder / "half"
    for shown in run_piped(["run", file, "--out", run, "--workers", 1], folder):
        check_harmless(shown)
    shutil.copytree(run, half)
    names = [f"{text}{number}" for number, text in enumerate(SHORT_HOSTILE_TEXTS)]
    about = make_header(names, name=HOSTILE_FILE_NAME)
    strangers = create_run(folder / "strangers", about=about, blocks=10)
    return World(folder, bot, record, tampered, logs, file, run, half, strangers)


Words = Callable[[World], list[object]]

COMMANDS: dict[str, Words] = {
    "play": lambda w: ["play", "stick-em", w.bot, "random", "random", "--seed", 5],
    "play --watch": lambda w: (
        ["play", "stick-em", w.bot, "random", "random", "--seed", 5, "--watch", "--speed", 1000]
    ),
    "play --strict": lambda w: (
        ["play", "stick-em", w.bot, "random", "random", "--seed", 5, "--strict"]
    ),
    "play --json": lambda w: ["play", "stick-em", w.bot, "random", "random", "--json"],
    "check": lambda w: ["check", w.bot, "--variant", "stick-em"],
    "check --json": lambda w: ["check", w.bot, "--variant", "stick-em", "--json"],
    "replay": lambda w: ["replay", w.record],
    "replay --watch": lambda w: ["replay", w.record, "--watch", "--speed", 1000],
    "replay --events": lambda w: ["replay", w.record, "--events"],
    "replay --bot": lambda w: ["replay", w.record, "--bot", w.bot, "--seat", 0],
    "replay --bot --json": lambda w: (["replay", w.record, "--bot", w.bot, "--seat", 0, "--json"]),
    "verify a file": lambda w: ["verify", w.record],
    "verify a file that is wrong": lambda w: ["verify", w.tampered],
    "verify --json": lambda w: ["verify", w.tampered, "--json"],
    "plan": lambda w: ["plan", w.file],
    "plan --json": lambda w: ["plan", w.file, "--json"],
    "run": lambda w: ["run", w.file, "--out", w.folder / f"new{HOSTILE_FILE_NAME}", "--workers", 1],
    "run --json": lambda w: ["run", w.file, "--out", w.run, "--json"],
    "games": lambda w: ["games", w.run],
    "games --json": lambda w: ["games", w.run, "--json"],
    "games --fault": lambda w: ["games", w.run, "--fault"],
    "games --fault --json": lambda w: ["games", w.run, "--fault", "--json"],
    "games of strangers": lambda w: ["games", w.strangers],
    "games of nobody": lambda w: ["games", w.strangers, "--bot", HOSTILE_FILE_NAME],
    "show": lambda w: ["show", w.run, w.game()],
    "show --json": lambda w: ["show", w.run, w.game(), "--json"],
    "show --watch": lambda w: ["show", w.run, w.game(), "--watch", "--speed", 1000],
    "standings": lambda w: ["standings", w.strangers],
    "standings --by": lambda w: ["standings", w.strangers, "--by", "cell"],
    "standings with all": lambda w: ["standings", w.strangers, "--bias", "--spread"],
    "standings --json": lambda w: ["standings", w.strangers, "--json"],
    "standings --csv": lambda w: ["standings", w.strangers, "--csv", "--by", "cell"],
    "standings --markdown": lambda w: ["standings", w.strangers, "--markdown"],
    "standings --by --markdown": lambda w: ["standings", w.strangers, "--by", "cell", "--markdown"],
    "crosstable": lambda w: ["crosstable", w.strangers],
    "crosstable --json": lambda w: ["crosstable", w.strangers, "--json"],
    "crosstable --csv": lambda w: ["crosstable", w.strangers, "--csv"],
    "crosstable --markdown": lambda w: ["crosstable", w.strangers, "--markdown"],
    "verify a run": lambda w: ["verify", w.run],
    "verify a run of strangers": lambda w: ["verify", w.strangers, "--workers", 1],
    "merge": lambda w: ["merge", w.run, w.half, "-o", w.folder / f"merged{HOSTILE_FILE_NAME}"],
    "compare": lambda w: ["compare", w.bot, "random", "--seats", 3, "--games", 6, "--workers", 1],
    "compare --json": lambda w: (
        ["compare", w.bot, "random", "--seats", 3, "--games", 6, "--workers", 1, "--json"]
    ),
    "new": lambda w: ["new", "my-bot", "--in", (w.folder / HOSTILE_FILE_NAME)],
    "protocol": lambda w: ["protocol", "export", "--to", w.folder / f"{HOSTILE_FILE_NAME}.json"],
    "a bot that is not there": lambda w: ["check", w.folder / f"no{HOSTILE_FILE_NAME}"],
    "a run that is not there": lambda w: ["show", w.folder / HOSTILE_FILE_NAME, "1"],
    "a file that is a folder": lambda w: ["run", w.folder / HOSTILE_FILE_NAME],
    "a word too many": lambda _: ["variants", HOSTILE_FILE_NAME],
    "a command that is not there": lambda _: [HOSTILE_FILE_NAME],
}


STARTS = ("play", "check", "run", "compare", "merge", "a ")
"""Commands that start processes, and mistakes: only the program as a whole shows all they say."""

FOR_PROGRAMS = {"--json", "--csv", "--markdown", "--events"}
"""What prints the same wherever it goes, and nothing that is meant for a terminal."""

ONCE = {"run": 3, "merge": 4, "new": 1}
"""Commands that make something, and which word names it."""

REPEATED = {"play", "play --json", "check", "run", "compare --json"}
"""Commands of which other tests, the fixture above, a terminal or its other form show as much."""

SHOWN = ("play --watch", "check", "run", "games --fault", "standings")
"""One command of each kind of display, which `make test` lets write to a terminal."""


def thinned(names: Iterable[str], kept: Collection[str]) -> list[object]:
    """All these commands, of which `make test` runs some."""
    return [name if name in kept else soak_only(name) for name in names]


@pytest.mark.parametrize("name", thinned(COMMANDS, COMMANDS.keys() - REPEATED))
def test_commands(name: str, world: World) -> None:
    (world.folder / HOSTILE_FILE_NAME).mkdir(exist_ok=True)
    words = COMMANDS[name](world)
    if name.startswith(STARTS):
        said, aside = run_piped(words, world.folder)
    else:
        done = invoke_arena(*words)
        said, aside = done.stdout, done.stderr
    check_harmless(said)
    check_harmless(aside)
    assert said or aside
    if "--json" in words or "--events" in words:
        read_json(said)


FOR_PEOPLE = [name for name in COMMANDS if not FOR_PROGRAMS & {*name.split()}]


@pytest.mark.parametrize("name", thinned(FOR_PEOPLE, SHOWN))
def test_commands_on_a_terminal(name: str, world: World) -> None:
    (world.folder / HOSTILE_FILE_NAME).mkdir(exist_ok=True)
    words = COMMANDS[name](world)
    if name in ONCE:
        words[ONCE[name]] = f"{words[ONCE[name]]}-2"
    shown = check_harmless(run_on_terminal(words, world.folder), terminal=True)
    assert shown.strip()


def test_json_has_it_all(world: World) -> None:
    """What can be said in JSON comes back as it was said."""
    words = ["play", "stick-em", world.bot, "random", "random", "--json"]
    said, aside = run_piped(words, world.folder)
    for shown in (said, aside):
        check_harmless(shown)
    found = read_json(said)
    notes = [text for text in HOSTILE_TEXTS.values() if text in strings_in(found)]
    assert len(notes) > len(HOSTILE_TEXTS) / 2
    standings = read_json(invoke_arena("standings", world.strangers, "--json").stdout)
    assert {f"{text}{number}" for number, text in enumerate(SHORT_HOSTILE_TEXTS)} <= {
        *strings_in(standings)
    }


def test_tables_have_a_line_for_each(world: World) -> None:
    words = ["play", "stick-em", world.bot, "random", "random", "--seed", 5]
    for shown in (run_piped(words, world.folder)[0], run_on_terminal(words, world.folder)):
        lines = check_harmless(shown, terminal="\x1b" in shown).split("\n")
        begin = next(number for number, line in enumerate(lines) if line.startswith("rank"))
        assert all(re.match(r" +[1-3] +[0-2] ", line) for line in lines[begin + 1 : begin + 4])
        assert lines[begin + 4] == ""
    said = invoke_arena("standings", world.strangers).stdout
    assert len(re.findall(r"^ +(?:\d+|–)  ", said, re.MULTILINE)) == len(SHORT_HOSTILE_TEXTS)


@pytest.mark.parametrize("name", ["standings --csv", "crosstable --csv"])
def test_no_cell_is_a_formula(name: str, world: World) -> None:
    said = invoke_arena(*COMMANDS[name](world)).stdout
    first, *rows = csv.reader(StringIO(said, newline=""), strict=True)
    assert rows
    for row in rows:
        assert len(row) == len(first)
        for cell in row:
            assert not cell.lstrip().startswith(("=", "@")), cell
            if cell.startswith(("+", "-")):
                float(cell)


@pytest.mark.parametrize("name", ["standings --markdown", "crosstable --markdown"])
def test_markdown_shows_it(name: str, world: World) -> None:
    lines = invoke_arena(*COMMANDS[name](world)).stdout.splitlines()
    bare = [re.sub(r"\\.", "", line) for line in lines]
    assert {line.count("|") for line in bare} == {bare[0].count("|")}
    for line in bare[2:]:
        assert not set("`<>[]") & set(line)
        assert "www." not in line


def test_logs(world: World) -> None:
    """Of a conversation: one line for each, that can be looked at, and JSON stays what it was."""
    assert {file.suffix for file in world.logs.iterdir()} == {".talk", ".stderr"}
    assert all(re.fullmatch(r"[\w.-]{1,60}", file.name) for file in world.logs.iterdir())
    (talk,) = world.logs.glob("seat0-*.talk")
    lines = check_harmless(talk.read_text().replace("\t", " ")).splitlines()
    assert all(line.startswith(("> {", "< ")) for line in lines)
    said = []
    for line in lines:
        if line.startswith('< {"type": "choose"'):
            said += strings_in(json.loads(line[2:]))
    assert sum(text in said for text in HOSTILE_TEXTS.values()) > len(HOSTILE_TEXTS) / 2
    (stderr,) = world.logs.glob("seat0-*.stderr")
    text = stderr.read_text()
    assert text.replace("\n", "").replace("\t", "").isprintable()
    assert "\\u001b[2J" in text


def test_the_journal(world: World) -> None:
    lines = (world.run / "log.txt").read_text().split("\n")
    assert lines.pop() == ""
    assert any("is none of the options" in line for line in lines)
    for line in lines:
        assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z [A-Z]+ ", line)
        assert len(line) < 2100
        assert line.isprintable()


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
@pytest.mark.parametrize("key", ["name", "author", "run", "games", "nonsense"])
def test_bad_manifests(text: str, key: str, tmp_path: Path) -> None:
    """What is wrong is said in one line, with as much of the value as fits."""
    keys = {"name": "x", "run": ["true"], key: text if key == "name" else {text: [text]}}
    if key == "nonsense":
        keys = {text: "x"}
    (tmp_path / "bot.yaml").write_text(yaml.safe_dump(keys, allow_unicode=True))
    done = invoke_arena("check", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    wrong = strip_sandbox_warning(done.stderr)
    assert check_harmless(wrong).startswith("Error: ")
    assert wrong.count("\n") == 1
    assert len(wrong) < 2100


def test_a_build_that_fails(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: x\nrun: [./bot]\nbuild: [./build.sh]\n")
    (tmp_path / "build.sh").write_text(BUILD)
    (tmp_path / "build.sh").chmod(0o755)
    said, wrong = run_piped(["check", tmp_path], tmp_path)
    assert said == ""
    check_harmless(wrong)
    assert "\n  FORGED\n" in wrong
    check_harmless(run_on_terminal(["check", tmp_path], tmp_path), terminal=True)
