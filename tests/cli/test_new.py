"""`arena new` makes bots that play, in every language it knows."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots import manifest
from arena.bots.bot import Bot, find
from arena.bots.launcher import Launcher
from arena.cli.new import KITS, make
from arena.errors import BadBot
from arena.games.catalog import variant
from arena.match.faults import Policy
from arena.match.record import verify
from arena.match.referee import Referee
from arena.match.table import Deal
from arena.match.terms import Terms
from tests.cli.conftest import Run

TABLES = [
    ("sticheln", 3),
    ("sticheln+aggravated+hazy", 3),
    ("stick-em+delayed", 4),
    ("hat-trick", 4),
    ("was-sticht", 3),
]
"""Every kind of decision there is."""


QUICK = "python"


@pytest.fixture(
    scope="module",
    params=[pytest.param(lang, marks=() if lang == QUICK else pytest.mark.slow) for lang in KITS],
)
def bot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bot]:
    """A new bot of each language, built if it has to be."""
    lang = request.param
    if lang != "python" and shutil.which(KITS[lang].tool) is None:
        pytest.skip(f"{KITS[lang].tool} is not installed")
    place = tmp_path_factory.mktemp(lang)
    with pytest.MonkeyPatch.context() as environment:
        if lang == "go":  # its standard library is compiled once, not for every place we build in
            compiled = subprocess.check_output(["go", "env", "GOCACHE"], text=True).strip()
            environment.setenv("GOCACHE", compiled)
        environment.setenv("XDG_CACHE_HOME", str(place / "cache"))
        yield find(make(place, "my-bot", lang))


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher() as launcher:
        yield launcher


@pytest.mark.parametrize("at_once", [1, 64], ids=["one at a time", "interleaved"])
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_it_plays(bot: Bot, launcher: Launcher, name: str, seats: int, at_once: int) -> None:
    terms = Terms(policy=Policy.STRICT, games=at_once, limits=None)
    referee = Referee(variant(name).game(seats), [bot] * seats, launcher, terms)
    deals = [Deal(seed, first=seed % seats) for seed in range(2)]
    played = list(referee.play(deals))
    assert [player.capacity for player in referee.bots] == [at_once] * seats
    assert sorted(each.record.seed for each in played) == [0, 1]
    for each in played:
        assert not each.record.faults
        assert not each.record.stale
        assert not any(each.stderr)
        verify(each.record)


def ask(bot: Bot, *messages: object) -> subprocess.CompletedProcess[str]:
    """Say all of this to a bot, hang up, and wait until it ends."""
    return subprocess.run(
        bot.argv,
        cwd=bot.folder,
        input="".join(f"{json.dumps(message)}\n" for message in messages),
        env=bot.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


HELLO = {"type": "hello", "protocol": 1, "line": 65536, "games": 64, "limits": None}
VIEW = {"seat": 0, "trick": ["B7", "R3"], "tricks": []}
TRICKS = [
    {"leader": 0, "cards": ["B8", "R1", "G2"], "winner": 0},
    {"leader": 0, "cards": ["R0", "R9", "R9"], "winner": 1},
    {"leader": 1, "cards": ["R9", "R9", "R9"], "winner": None},
]

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


def decide(number: int, kind: str, variant: str, options: str) -> dict[str, object]:
    """A question, as far as a kit looks at it."""
    return {
        "type": "decide",
        "game": 1,
        "id": number,
        "variant": variant,
        "kind": kind,
        "options": options.split(),
        "view": VIEW | {"tricks": TRICKS if kind == "delayed" else []},
        "clock": None,
    }


def test_all_kits_choose_alike(bot: Bot) -> None:
    questions = [decide(number, *row[:3]) for number, row in enumerate(CHOICES)]
    done = ask(bot, HELLO, *questions)
    ready, *answers = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready", "games": 64}
    assert answers == [
        {"type": "choose", "id": number, "choice": choice}
        for number, (*_, choice) in enumerate(CHOICES)
    ]


def test_what_it_does_not_know_it_ignores(bot: Bot) -> None:
    news = {"type": "news", "view": 3, "options": {"id": []}}
    view = VIEW | {"weather": ["rain"]}
    question = decide(2**53 - 1, "play", "sticheln", "B10 G2") | {"view": view, "mood": {"good": 1}}
    done = ask(bot, HELLO | {"weather": "fair"}, news, {"type": "start"}, question, {"type": "bye"})
    assert done.returncode == 0
    assert done.stderr == ""
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"type": "ready", "games": 64},
        {"type": "choose", "id": 2**53 - 1, "choice": "G2"},
    ]


QUESTION = decide(7, "play", "sticheln", "B10 G2")


def test_it_answers_before_the_next_line_is_whole(bot: Bot) -> None:
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
    done = ask(bot, HELLO, fault)
    assert done.returncode == 0
    assert "that is no card" in done.stderr
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("lang", KITS)
def test_what_is_made(arena: Run, tmp_path: Path, lang: str) -> None:
    done = arena("new", "my bot", "--lang", lang, "--in", str(tmp_path))
    assert done.returncode == 0
    folder = tmp_path / "my bot"
    assert list(tmp_path.iterdir()) == [folder]
    assert (folder / KITS[lang].source).is_file()
    assert manifest.load(folder / "bot.yaml").name == "my bot"
    assert not [entry for entry in folder.iterdir() if not entry.is_file()]
    page = (folder / "README.md").read_text()
    for command in ("arena check .", "arena play sticheln . . . --watch", "--strict"):
        assert command in page
    assert f"  cd '{folder}'\n  arena check .\n  arena play sticheln . . . --watch\n" in done.stdout


@pytest.mark.parametrize("name", ["1.5", "true", "null", "2026-01-01", "0x10"])
def test_a_name_is_a_name_whatever_yaml_makes_of_it(tmp_path: Path, name: str) -> None:
    assert manifest.load(make(tmp_path, name, "python") / "bot.yaml").name == name


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "-a", "a:b", "x" * 41])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(BadBot, match="cannot be a bot's name"):
        make(tmp_path, name, "python")
    assert [entry.name for entry in tmp_path.rglob("*")] == ["a"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.rglob("*"))
    for name in ("empty", "file", "dangling"):
        with pytest.raises(BadBot, match="exists already: choose another name, or remove it"):
            make(tmp_path, name, "python")
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_a_mistake_is_one_sentence(arena: Run, tmp_path: Path) -> None:
    done = arena("new", tmp_path.name, "--in", str(tmp_path.parent))
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: {tmp_path} exists already: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_language_that_is_not_installed(arena: Run, tmp_path: Path) -> None:
    done = arena("new", "gopher", "--lang", "go", "--in", str(tmp_path), PATH=str(tmp_path))
    assert done.returncode == 0
    assert "It needs go, which is not on the PATH: run 'apt install golang-go'." in done.stdout
    assert (tmp_path / "gopher" / "bot.yaml").is_file()


def test_a_language_that_is_none(arena: Run, tmp_path: Path) -> None:
    done = arena("new", "snake", "--lang", "pascal", "--in", str(tmp_path))
    assert done.returncode == 2
    assert "'python', 'javascript', 'go', 'perl'" in done.stderr
    assert not list(tmp_path.iterdir())


def test_languages_are_completed(arena: Run) -> None:
    words = {"COMP_WORDS": "arena new snake --lang p", "COMP_CWORD": "4"}
    done = arena(_ARENA_COMPLETE="zsh_complete", **words)
    assert done.stdout.rstrip("\n").split("\n")[1::3] == ["python", "perl"]
