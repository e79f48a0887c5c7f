"""A ladder from beginning to end: served, sent to by terminal and browser, and played on."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.ladder import factories
from tests.web.browser import BrowserVisit, launch_chromium, open_visit
from tests.web.ladders import (
    BROKEN_BOT,
    FIRST_OPTION_BOT,
    create_token,
    make_escaping_tar,
    serve_ladder,
)
from tests.web.server_process import TIMEOUT, ServerProcess

pytestmark = pytest.mark.soak  # each part of it has tests of its own

LAST = FIRST_OPTION_BOT.replace('["options"][0]', '["options"][-1]')
HEADER = "#include <cjson/cJSON.h>\n"


@dataclass
class Club:
    """A ladder that is served, and somebody who looks at it."""

    folder: Path
    there: ServerProcess
    home: Path
    known: bool = False
    """Whether somebody has a token."""

    def arena(self, *words: object) -> "subprocess.CompletedProcess[str]":
        """Run a command, as somebody at a terminal does."""
        return subprocess.run(
            [sys.executable, "-m", "arena", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env={**os.environ, "COLUMNS": "100", "XDG_CACHE_HOME": str(self.home / "cache")},
            timeout=10 * TIMEOUT,
        )

    def token(self, owner: str) -> str:
        """A new token for somebody; the first is handed out by the command."""
        if self.known:
            return create_token(self.folder, owner)
        done = self.arena("ladder", "token", self.folder, owner, "--json")
        assert done.returncode == 0, done.stderr
        self.known = True
        found: str = json.loads(done.stdout)["token"]
        return found

    def submit(self, bot: Path, owner: str, *words: str) -> "subprocess.CompletedProcess[str]":
        """Send a bot over the network."""
        to = f"http://127.0.0.1:{self.there.port}"
        return self.arena("submit", bot, "--to", to, "--token", self.token(owner), *words)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    """A ladder with the reference bots, made and served by commands."""
    home = tmp_path / "home"
    home.mkdir()
    made = subprocess.run(
        [
            *(sys.executable, "-m", "arena", "ladder", "init", "club", "--with-reference"),
            *("--variants", "stick-em", "--seats", "3"),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    folder = home / "club"
    factories.change_settings(folder, deals=1, workers=1, placement={"games": 6})
    with serve_ladder(folder) as there:
        yield Club(folder, there, home)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launch_chromium() as started:
        yield started


def fill(page: Page, shown: str, name: str, content: bytes) -> None:
    """Send a file by the form."""
    page.get_by_label("Token").fill(shown)
    page.get_by_label("File").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )
    page.get_by_role("button", name="Submit").click()


def by_terminal(club: Club) -> None:
    """A script and a program that has to be built are accepted."""
    script = club.home / "ann.py"
    script.write_text(FIRST_OPTION_BOT)
    done = club.submit(script, "ann", "-m", "the first card")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accepted as ann v1" in done.stdout
    if compiles():
        assert club.arena("new", "seadog", "--lang", "c").returncode == 0
        done = club.submit(club.home / "seadog", "bob", "--name", "seadog")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "accepted as seadog v1" in done.stdout


def refused_by_terminal(club: Club) -> None:
    """What a broken bot wrote is printed, but does not reach the terminal as it is."""
    broken = club.home / "broken.py"
    broken.write_text(BROKEN_BOT)
    done = club.submit(broken, "mallory")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "<b>I am broken</b>" in done.stdout
    assert "\x1b[31m" not in done.stdout


def compiles() -> bool:
    """Whether programs in C can be built here."""
    words = ["cc", "-fsyntax-only", "-x", "c", "-"]
    try:
        return subprocess.run(words, input=HEADER.encode(), check=False).returncode == 0
    except FileNotFoundError:
        return False


def by_browser(club: Club, visit: BrowserVisit) -> None:
    """Another version is accepted, and leads to its page."""
    page = visit.open("/submit")
    fill(page, club.token("ann"), "ann.py", LAST.encode())
    state = page.locator("#state")
    expect(state).to_contain_text("Accepted as ann v2", timeout=1000 * TIMEOUT)
    state.get_by_role("link", name="See ann v2").click(timeout=1000 * TIMEOUT)
    expect(page.get_by_role("heading", level=1)).to_contain_text("ann")


def refused_by_browser(club: Club, visit: BrowserVisit) -> None:
    """An archive that escapes, and a broken bot, of which is shown what it wrote."""
    page = visit.open("/submit")
    fill(page, club.token("mallory"), "evil.tar.gz", make_escaping_tar())
    expect(page.locator("#state")).to_contain_text("Refused", timeout=1000 * TIMEOUT)
    expect(page.locator("#said li").last).to_contain_text("unpack")
    page = visit.open("/submit")
    fill(page, club.token("mallory"), "broken.py", BROKEN_BOT.encode())
    expect(page.locator("#state")).to_contain_text("Refused", timeout=1000 * TIMEOUT)
    expect(page.locator("#said pre", has_text="<b>I am broken</b>")).to_be_visible()


def in_the_morning(club: Club, visit: BrowserVisit) -> None:
    """The pages tell of the night, without anybody starting anything again."""
    names = ["ann v2", *(["seadog v1"] if compiles() else [])]
    page = visit.open("/nights.html")
    expect(page.locator("main")).to_contain_text("Night 1", timeout=1000 * TIMEOUT)
    page = visit.open("/")
    standings = page.locator("table.standings").first
    for name in names:
        expect(standings).to_contain_text(name.split()[0])
    shown = standings.inner_text()
    assert "broken" not in shown
    assert "ann v1" not in shown
    answer = club.there.request("/api/standings").json["table"]
    bots = {line["bot"] for line in answer["lines"]}
    assert bots >= set(names)
    assert "ann v1" not in bots
    (night,) = club.there.request("/api/nights").json["nights"]
    assert night["summary"]["games"] >= 6
    states = [one["state"] for one in club.there.request("/api/bots/ann").json["versions"]]
    assert states == ["superseded", "active"]
    game = club.there.request("/api/games?bot=ann+v2&limit=1").json["games"][0]
    page = visit.open(f"/game.html?game={game['id']}")
    expect(page.locator("body[data-ready=yes]")).to_be_attached()


def test_a_ladder_from_beginning_to_end(club: Club, browser: Browser) -> None:
    by_terminal(club)
    refused_by_terminal(club)
    with open_visit(browser, club.there) as visit:
        by_browser(club, visit)
        refused_by_browser(club, visit)
        done = club.arena("ladder", "night", club.folder, "--games", "6")
        assert done.returncode == 0, done.stdout + done.stderr
        in_the_morning(club, visit)
    checked = club.arena("verify", club.folder)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert list((club.folder / "incoming").iterdir()) == []
    assert not Path("/tmp/stichkampf-escaped").exists()  # noqa: S108 (that is where it wants to go)
