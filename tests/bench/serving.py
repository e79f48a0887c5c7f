"""What serving a ladder costs: answers a second, how long the slowest take, and what a night loses.

It needs `wrk`, on Debian `apt install wrk`. Server, load and night share the cores of one machine,
so that what is measured is the worst that readers can do to a night.
"""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from tests.bench.sheet import sheet
from tests.web.ladders import serve_ladder
from tests.web.server_process import ServerProcess

SECONDS = 5
CONNECTIONS = 16
GAMES = 600
"""Of a night."""
PATHS = (
    "/",
    "/bots.html",
    "/static/site.css",
    "/api/standings",
    "/api/bots",
    "/api/bots/careful",
    "/api/games?limit=100",
    "/healthz",
)
MIXED = ("/", "/bots.html", "/api/standings", "/api/bots", "/api/games?limit=20", "/healthz")

SCRIPT = """
local paths = {{{paths}}}
local number = 0
function request()
  number = number + 1
  return wrk.format("GET", paths[number % #paths + 1])
end
function delay() return {pause} end
"""
UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


def arena(*words: object) -> None:
    """Run a command to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def made(folder: Path) -> Path:
    """A ladder with the reference bots and one night behind it."""
    ladder = folder / "ladder"
    words = ("--variants", "stick-em", "--variants", "sticheln", "--seats", "3,4")
    arena("ladder", "init", ladder, *words, "--with-reference")
    arena("ladder", "night", ladder, "--games", GAMES)
    return ladder


def load(
    there: ServerProcess, paths: tuple[str, ...], seconds: int, pause: int, folder: Path
) -> list[str]:
    """The command line of some load: all that can be had, or a request now and then."""
    script = folder / "load.lua"
    listed = ", ".join(f'"{path}"' for path in paths)
    script.write_text(SCRIPT.format(paths=listed, pause=pause))
    where = f"http://127.0.0.1:{there.port}/"
    return [
        *("wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency"),
        *(["-s", str(script)] if pause or len(paths) > 1 else []),
        where + ("" if pause or len(paths) > 1 else paths[0][1:]),
    ]


def figures(printed: str) -> tuple[str, str, str, str]:
    """Answers a second, the median and the 99th percentile in milliseconds, and what went wrong."""
    rate = re.search(r"Requests/sec:\s+([\d.]+)", printed)
    cells = dict(re.findall(r"(50|99)%\s+(\S+)", printed))
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", printed)
    if rate is None:
        sys.exit(printed)
    times = []
    for share in ("50", "99"):
        time = re.fullmatch(r"([\d.]+)(us|ms|s)", cells[share])
        if time is None:
            sys.exit(printed)
        number, unit = time.groups()
        times.append(f"{float(number) * UNITS[unit]:,.1f}")
    return f"{float(rate[1]):,.0f}", times[0], times[1], wrong[0] if wrong else ""


def reading(console: Console, there: ServerProcess, folder: Path) -> None:
    """Answers a second of each kind while nothing else happens."""
    table = sheet(
        f"served, {CONNECTIONS} connections, nobody plays", "answers/s", "p50 ms", "p99 ms", "wrong"
    )
    for path in PATHS:
        there.request(path)
        words = load(there, (path,), SECONDS, 0, folder)
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        table.add_row(path, *figures(done.stdout))
    console.print(table)


@contextmanager
def loaded(words: list[str]) -> Iterator["subprocess.Popen[str]"]:
    """Some load that goes on meanwhile."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def nights(console: Console, there: ServerProcess, ladder: Path, folder: Path) -> None:
    """The same night without load, with some, and with all there can be."""
    table = sheet("a night meanwhile", "games/s", "answers/s", "p50 ms", "p99 ms", "wrong")
    rest = 1000 * CONNECTIONS // 100
    for name, pause in (("nobody reads", None), ("100 questions/s", rest), ("all there can be", 0)):
        if pause is None:
            arena("ladder", "night", ladder, "--games", GAMES)
            cells = ("", "", "", "")
        else:
            with loaded(load(there, MIXED, 3600, pause, folder)) as process:
                arena("ladder", "night", ladder, "--games", GAMES)
                process.send_signal(signal.SIGINT)  # at which it says what it has measured
                printed, _ = process.communicate()
            cells = figures(printed)
        summary = there.request("/api/nights?limit=1").json["nights"][0]["summary"]
        table.add_row(name, f"{summary['games'] / summary['seconds']:.1f}", *cells)
    console.print(table)


def main() -> None:
    console = Console()
    if shutil.which("wrk") is None:
        console.print("serving: there is no wrk here: apt install wrk")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        ladder = made(folder)
        with serve_ladder(ladder) as there:
            reading(console, there, folder)
            nights(console, there, ladder, folder)


if __name__ == "__main__":
    main()
