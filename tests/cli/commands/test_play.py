"""`arena play` plays one game, shows it, and keeps it."""

import json
from pathlib import Path

import pytest

from arena.referee.record import load_records, verify_record
from tests.cli.invoke import invoke_arena
from tests.conftest import RunArena
from tests.suite.tools import strip_sandbox_warning

pytestmark = pytest.mark.slow

MISBEHAVING = Path(__file__).parents[2] / "misbehaving"
ILLEGAL = str(MISBEHAVING / "illegal.py")


def test_a_summary(run_arena: RunArena) -> None:
    done = run_arena("play", "sticheln", "random", "first-legal", "random", "--seed", "3")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "sticheln, 3 seats, 225 decisions"
    assert [line.split()[0] for line in lines[2:5]] == ["1", "2", "3"]
    assert lines[-1] == "Again: arena play sticheln random first-legal random --seed 3"


@pytest.mark.slow
def test_the_same_seed_is_the_same_game() -> None:
    def choices(seed: str) -> list[str]:
        done = invoke_arena("play", "hat-trick", *["random"] * 4, "--seed", seed, "--json")
        found: list[str] = json.loads(done.stdout)["choices"]
        return found

    assert choices("5") == choices("5") != choices("6")


def test_a_random_seed_is_printed() -> None:
    done = invoke_arena("play", "sticheln", "first-legal", "random", "random")
    seed = done.stdout.split()[-1]
    again = invoke_arena("play", "sticheln", "first-legal", "random", "random", "--seed", seed)
    assert again.stdout.splitlines()[2].split()[:4] == done.stdout.splitlines()[2].split()[:4]


def test_seats() -> None:
    done = invoke_arena(
        "play", "sticheln", "first-legal", "random", ILLEGAL, "--seats", "2,0,1", "--json"
    )
    names = [bot["name"] for bot in json.loads(done.stdout)["bots"]]
    assert names == ["random", "illegal", "first-legal"]


@pytest.mark.parametrize("seats", ["0,1", "0,0,1", "1,2,3", "a,b,c", ""])
def test_invalid_seats(seats: str) -> None:
    done = invoke_arena("play", "sticheln", "random", "random", "random", "--seats", seats)
    assert done.exit_code == 2
    assert "name each once: 0,1,2" in done.stderr


def test_a_record_that_can_be_verified(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    invoke_arena("play", "stick-em+delayed", *["random"] * 3, "--seed", "1", "--record", str(file))
    (record,) = load_records(file)
    verify_record(record)
    assert record.seed == 1
    assert invoke_arena("verify", str(file)).exit_code == 0


def test_a_fault_is_shown_and_the_exit_status_tells() -> None:
    done = invoke_arena("play", "sticheln", "random", ILLEGAL, "random", "--seed", "3")
    assert done.exit_code == 1
    assert "'Z99' is none of the options" in done.stdout
    assert '"id": 3' in done.stdout
    ranks = [line.split() for line in done.stdout.splitlines()[2:5]]
    assert [row[2] for row in ranks][-1] == "illegal"


def test_strict_stops_at_once(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    words = ("play", "sticheln", "random", ILLEGAL, "random", "--seed", "3", "--strict")
    done = invoke_arena(*words, "--record", str(file))
    assert done.exit_code == 1
    assert "stopped at a fault" in done.stdout
    (record,) = load_records(file)
    assert record.stopped
    assert len(record.choices) < 10
    verify_record(record)
    watched = invoke_arena(*words, "--watch")
    assert "Broken off" in watched.stdout
    assert "'Z99' is none of the options" in watched.stdout


def test_watching() -> None:
    done = invoke_arena("play", "was-sticht", *["random"] * 3, "--seed", "3", "--watch")
    assert done.exit_code == 0
    assert "Round 1" in done.stdout
    assert "The end" in done.stdout


@pytest.mark.slow
def test_logs(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "deep"
    exits = str(MISBEHAVING / "exits.py")
    invoke_arena(
        "play", "sticheln", "random", exits, "random", "--seed", "3", "--logs", str(folder)
    )
    assert sorted(file.name for file in folder.iterdir()) == [
        f"seat{seat}-{name}.{kind}"
        for seat, name in enumerate(("random", "exits", "random"))
        for kind in ("stderr", "talk")
    ]
    said = (folder / "seat0-random.talk").read_text().splitlines()
    assert said[0].startswith('> {"type":"hello"')
    assert said[1].startswith('< {"type": "ready"')
    assert said[-1].startswith('> {"type":"result"')
    assert "division by zero" in (folder / "seat1-exits.stderr").read_text()


def test_no_clock() -> None:
    burns = str(MISBEHAVING / "slow_reader.py")
    words = ("play", "sticheln", "random", burns, "random", "--seed", "3", "--json")
    done = invoke_arena(*words, "--no-clock", "--clock", "start=0,move=0,bank=0,wall=0")
    assert done.exit_code == 0
    assert "faults" not in json.loads(done.stdout)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sticheln", "random", "random"], "sticheln is played by 3 to 8, not by 2"),
        (["sticheln", "randm", "random", "random"], "did you mean 'random'?"),
        (["sticheln", "no/such.py", "random", "random"], "no/such.py does not exist"),
        (["sticheln", "/", "random", "random"], "/ has no bot.yaml"),
        (["stichln", *["random"] * 3], "did you mean 'sticheln'?"),
        (["sticheln", *["random"] * 3, "--record", "/no/such/file"], "there is no folder /no/such"),
        (["sticheln", *["random"] * 3, "--logs", "/proc/x"], "logs cannot be written"),
    ],
)
def test_wrong_arguments_are_rejected(words: list[str], said: str) -> None:
    done = invoke_arena("play", *words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert len(strip_sandbox_warning(done.stderr).splitlines()) == 1


@pytest.mark.parametrize(
    ("clock", "said"),
    [
        ("mov=1", "did you mean 'move'?"),
        ("x=1", "there are start, move, bank, wall"),
        ("move=soon", "a number of seconds, not 'soon'"),
        ("move=-1", "a number of seconds, not '-1'"),
        ("wall=inf", "a number of seconds, not 'inf'"),
        ("wall=nan", "a number of seconds, not 'nan'"),
    ],
)
def test_invalid_clocks(clock: str, said: str) -> None:
    done = invoke_arena("play", "sticheln", *["random"] * 3, "--clock", clock)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_full_disk_loses_the_record_with_a_sentence() -> None:
    done = invoke_arena("play", "sticheln", *["random"] * 3, "--seed", "1", "--record", "/dev/full")
    assert done.exit_code == 2
    assert "the record cannot be written: No space left on device" in done.stderr


HOSTILE = """
import json, sys
print(json.dumps({"type": "ready", "name": "\\x1b[31mred"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        sys.stderr.write("\\x1b[2J[bold]gone[/bold]\\n")
        answer = {"choice": "\\x1b[1m", "note": "\\x1b]0;title\\x07[red]note"}
        print(json.dumps({"type": "choose", "id": message["id"], **answer}), flush=True)
"""


def test_texts_of_bots_are_sanitized(tmp_path: Path) -> None:
    script = tmp_path / "hostile.py"
    script.write_text(HOSTILE)
    for words in ([], ["--watch"]):
        done = invoke_arena(
            "play", "sticheln", str(script), "random", "random", "--seed", "1", *words
        )
        assert done.exit_code == 1
        assert "\x1b" not in done.stdout
        assert "[bold]gone[/bold]" in done.stdout


@pytest.mark.slow
def test_the_printed_command_repeats_the_game() -> None:
    words = ["sticheln", "random", "random", "random", "--seed", "1", "--clock", "move=2,bank=0"]
    done = invoke_arena("play", *words, "--no-clock", "--strict")
    assert (
        done.stdout.splitlines()[-1] == f"Again: arena play {' '.join(words)} --strict --no-clock"
    )


@pytest.mark.slow
def test_a_record_printed_as_json_can_be_read_again(tmp_path: Path) -> None:
    printed = invoke_arena("play", "sticheln", *["random"] * 3, "--seed", "1", "--json").stdout
    file = tmp_path / "game.json"
    for text in (printed, json.dumps(json.loads(printed), indent=2)):
        file.write_text(text)
        assert invoke_arena("verify", str(file)).stdout == "1 game, as written down\n"


@pytest.mark.slow
def test_stderr_is_logged_where_it_is_needed_most(tmp_path: Path) -> None:
    (tmp_path / "early.py").write_text("raise ValueError('too early')")
    exits = str(MISBEHAVING / "exits.py")
    for script, said in ((str(tmp_path / "early.py"), "too early"), (exits, "division by zero")):
        for words in ([], ["--strict"]):
            folder = tmp_path / "logs"
            seats = [script, "random", "random"]
            invoke_arena("play", "sticheln", *seats, "--seed", "3", "--logs", str(folder), *words)
            assert said in (folder / f"seat0-{Path(script).stem}.stderr").read_text()


def test_many_faults_of_a_kind_are_shown_once(tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text(HOSTILE.replace("note = ", "print('hello'); note = "))
    done = invoke_arena(
        "play", "sticheln", str(tmp_path / "chatty.py"), "random", "random", "--seed", "3"
    )
    assert done.stdout.count("is none of the options") == 1
    assert "more of the kind illegal: chatty, seat 0" in done.stdout
