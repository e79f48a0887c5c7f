"""The starter kits play, all alike, in every language; and so they do in one tournament."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena.bots.bot import Bot
from arena.bots.digest import bot_files
from arena.bots.launcher import Launcher
from arena.bots.manifest import MANIFEST_FILE, load_manifest
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.bots.starter_kits import STARTER_KITS, create_bot
from arena.conformance.check import run_steps
from arena.conformance.steps import STEPS
from arena.games.catalog import variant
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.referee.live_game import Deal
from arena.referee.record import verify_record
from arena.referee.referee import Referee
from tests.conftest import RunArena
from tests.reference.conftest import FindBot
from tests.reference.kit_messages import HELLO, VIEW, make_question, run_kit
from tests.suite.tools import skip_without_sandbox

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent

TABLES = [
    ("sticheln", 3),
    ("sticheln+aggravated+hazy", 3),
    ("stick-em+delayed", 4),
    ("hat-trick", 4),
    ("was-sticht", 3),
]
"""Every kind of decision there is."""


SHORT = {lang: TABLES[at % len(TABLES)] for at, lang in enumerate(STARTER_KITS)}
"""The table at which `make test` checks each language: all kinds of decision, twice each."""
HELD = 4
"""Games at once in a short check."""


@pytest.fixture(scope="module", params=STARTER_KITS)
def bot(request: pytest.FixtureRequest, find_bot: FindBot) -> Bot:
    """The bot of each language, built if it has to be."""
    return find_bot(request.param)


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher() as launcher:
        yield launcher


@pytest.mark.parametrize(
    ("name", "seats", "at_once"),
    [
        *(pytest.param(*table, 64, id=f"{table[0]}-interleaved") for table in TABLES),
        pytest.param(*TABLES[0], 1, id=f"{TABLES[0][0]}-one at a time"),
        *(
            pytest.param(*table, 1, marks=pytest.mark.soak, id=f"{table[0]}-one at a time")
            for table in TABLES[1:]
        ),
    ],
)
def test_a_kit_plays(
    find_bot: FindBot, launcher: Launcher, name: str, seats: int, at_once: int
) -> None:
    """The others are seen to play by their checks, and all to play alike by their tournament."""
    bot = find_bot("python")
    config = RefereeConfig(policy=FaultPolicy.STRICT, games_at_once=at_once, limits=None)
    referee = Referee(variant(name).game(seats), [bot] * seats, launcher, config)
    deals = [Deal(seed, first=seed % seats) for seed in range(2)]
    played = list(referee.play(deals))
    assert [connection.capacity for connection in referee.connections] == [at_once] * seats
    assert sorted(each.record.seed for each in played) == [0, 1]
    for each in played:
        assert not each.record.faults
        assert not each.record.stale
        assert not any(each.stderr)
        verify_record(each.record)


def test_a_kit_plays_in_the_sandbox(bot: Bot) -> None:
    """Within the limits that hold where nobody says otherwise, built as it was in the sandbox."""
    try:
        sandbox = select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    except SandboxUnavailable as why:
        skip_without_sandbox(why)
    with Launcher(sandbox) as launcher:
        config = RefereeConfig(policy=FaultPolicy.STRICT, limits=None)
        referee = Referee(variant("sticheln").game(3), [bot] * 3, launcher, config)
        (played,) = referee.play([Deal(1)])
    assert not played.record.faults
    assert not any(played.stderr)


CHOICES = [
    ("designate", "sticheln", "B5 G2 R3", "G2"),
    ("designate", "sticheln+reverse", "B5 G2 R3", "B5"),
    ("designate", "sticheln+aggravated", "B5+G2 B5+R3 G2+R3", "G2+R3"),
    ("play", "sticheln", "B10 G2 R9", "G2"),
    ("play", "hat-trick", "B10 G2 R9", "R9"),
    ("play", "hat-trick", "G8 G2", "G2"),
    ("delayed", "sticheln+delayed", "B G R", "R"),
    ("delayed", "sticheln+reverse+delayed", "G B R", "B"),
    ("delayed", "sticheln+aggravated+delayed", "B+G B+R G+R", "G+R"),
    ("token", "was-sticht", "exactly_4 last_trick no_trick", "last_trick"),
    ("pick", "was-sticht", "B9 R3 Y4", "R3"),
    ("task", "was-sticht", "no_trick no_red", "no_red"),
    ("discard", "was-sticht", "no_red exactly_4 no_blue", "exactly_4"),
    ("something-new", "sticheln", "one two", "one"),
]


def test_all_kits_choose_alike(bot: Bot) -> None:
    questions = [make_question(number, *row[:3]) for number, row in enumerate(CHOICES)]
    done = run_kit(bot, HELLO, *questions)
    ready, *answers = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready", "games": 64}
    assert answers == [
        {"type": "choose", "id": number, "choice": choice}
        for number, (*_, choice) in enumerate(CHOICES)
    ]


def test_unknown_fields_and_messages_are_ignored(bot: Bot) -> None:
    news = {"type": "news", "view": 3, "options": {"id": []}}
    view = VIEW | {"weather": ["rain"]}
    question = make_question(2**53 - 1, "play", "sticheln", "B10 G2") | {
        "view": view,
        "mood": {"good": 1},
    }
    done = run_kit(
        bot, HELLO | {"weather": "fair"}, news, {"type": "start"}, question, {"type": "bye"}
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"type": "ready", "games": 64},
        {"type": "choose", "id": 2**53 - 1, "choice": "G2"},
    ]


QUESTION = make_question(7, "play", "sticheln", "B10 G2")


def test_a_kit_does_not_wait_for_the_next_line(bot: Bot) -> None:
    with subprocess.Popen(
        bot.argv,
        cwd=bot.folder,
        env=bot.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(HELLO).encode() + b'\n{"type": "ne')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["type"] == "ready"
        process.stdin.write(b'ws"}\n' + json.dumps(QUESTION).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["choice"] == "G2"
    assert process.returncode == 0


def test_a_fault_is_logged(bot: Bot) -> None:
    fault = {"type": "fault", "game": 1, "id": 7, "fault": "illegal", "text": "that is no card"}
    done = run_kit(bot, HELLO, fault)
    assert done.returncode == 0
    assert "that is no card" in done.stderr
    assert len(done.stdout.splitlines()) == 1


SCHEMA = json.loads((ROOT / "protocol" / "schema.json").read_text())["$defs"]


@pytest.mark.parametrize("lang", STARTER_KITS)
def test_a_kit_has_every_message_field(lang: str) -> None:
    kit = ROOT / "bots" / lang
    sources = bot_files(kit, load_manifest(kit / MANIFEST_FILE).ignore)
    text = "\n".join(file.read_text() for file in sources if not file.is_symlink())
    camel = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", text)
    words = set(re.findall(r"\w+", f"{text} {camel}"))
    fields = {field for shape in SCHEMA.values() for field in shape.get("properties", ())}
    assert fields - words == set()


@pytest.mark.parametrize("lang", STARTER_KITS)
def test_a_kit_has_the_transcripts_of_the_protocol(tmp_path: Path, lang: str) -> None:
    kept = {file.read_bytes() for file in (ROOT / "protocol" / "transcripts").glob("*/*.jsonl")}
    kit = create_bot(tmp_path, "my-bot", lang)
    own = [file.read_bytes() for file in (kit / "transcripts").iterdir()]
    assert len(own) == 3
    assert kept.issuperset(own)


@pytest.mark.parametrize("lang", STARTER_KITS)
def test_a_kit_passes_a_short_check(find_bot: FindBot, launcher: Launcher, lang: str) -> None:
    """Every step, in one variant, with few games at once and without a sandbox."""
    bot = replace(find_bot(lang), games=HELD)
    name, _ = SHORT[lang]
    outcomes = list(run_steps(bot, launcher, [variant(name)]))
    assert [outcome for outcome in outcomes if not outcome.passed] == []
    assert len(outcomes) == len(STEPS)


@pytest.mark.soak
@pytest.mark.parametrize("lang", STARTER_KITS)
def test_a_kit_passes_every_check(
    run_arena: RunArena, find_bot: FindBot, shared_build_cache: Path, lang: str
) -> None:
    """At all 246 tables."""
    find_bot(lang)
    done = run_arena("check", lang, "--json", XDG_CACHE_HOME=str(shared_build_cache))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.soak
def test_all_languages_meet(
    run_arena: RunArena, find_bot: FindBot, shared_build_cache: Path, tmp_path: Path
) -> None:
    for lang in STARTER_KITS:
        find_bot(lang)
    out = str(tmp_path / "run")
    file = str(ROOT / "tournaments" / "languages.yaml")
    done = run_arena("run", file, "--out", out, "--quiet", XDG_CACHE_HOME=str(shared_build_cache))
    assert done.returncode == 0, done.stdout + done.stderr
    overall = json.loads(run_arena("standings", out, "--json").stdout)["overall"]
    assert overall["faults"] == 0
    assert {line["bot"]: line["rank"] for line in overall["lines"]} == dict.fromkeys(
        STARTER_KITS, 1
    )
    assert {line["points"] for line in overall["lines"]} == {0.0}, "all of them play the same"


def test_the_strategy_on_the_page_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    kit = (ROOT / "bots" / "python" / "bot.py").read_text()
    page = (ROOT / "bots" / "README.md").read_text()
    (strategy,) = re.findall(r"```py\n(class MyBot.*?)```", page, re.DOTALL)
    module = ModuleType("on_the_page")
    names: dict[str, Any] = vars(module)
    monkeypatch.setitem(sys.modules, "on_the_page", module)  # where dataclasses look it up
    exec(compile(f"{kit}\n\n{strategy}", "bot.py", "exec"), names)  # noqa: S102 (it is our own)
    notes = 0
    for file in (ROOT / "protocol" / "transcripts").glob("*/*.jsonl"):
        bot = names["MyBot"]()
        for line in file.read_text().splitlines():
            entry = json.loads(line)
            if entry["to"] == "bot" and (answer := bot.hear(entry["message"])):
                message = json.loads(answer)
                notes += "note" in message
                assert message.get("choice") in entry["message"].get("options", [None])
    assert notes
