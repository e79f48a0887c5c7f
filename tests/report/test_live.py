"""A run that is watched while it goes on, in a real browser."""

import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from arena.store.run import Run

pytestmark = pytest.mark.slow


@contextmanager
def watched(folder: Path) -> Iterator[str]:
    """The address at which a run is shown."""
    command = [sys.executable, "-m", "arena", "watch", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            said = process.stdout.readline()
            found = re.match(r"(http://127\.0\.0\.1:\d+/) follows ", said)
            assert found, said
            yield found[1]
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def test_a_page_follows_the_run(run_folder: Path, browser: Browser, tmp_path: Path) -> None:
    """New blocks show by themselves; the table stays sorted as it was."""
    with Run.open(run_folder) as run:
        about, blocks = run.header, list(run.blocks())
    half = len(blocks) // 2
    folder = tmp_path / "growing"
    with Run.create(folder, about) as growing:
        growing.begin_session("code", 1)
        growing.add(blocks[:half])
        with watched(folder) as address:
            context = browser.new_context()
            page = context.new_page()
            wrong: list[str] = []
            page.on("console", lambda said: wrong.append(said.text))
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.goto(address)
            caption = page.locator("table.standings caption")
            expect(caption).to_contain_text(f"in {half} blocks")
            page.get_by_role("button", name="bot", exact=True).click()
            growing.add(blocks[half:])
            expect(caption).to_contain_text(f"in {len(blocks)} blocks", timeout=60_000)
            head = page.locator("table.standings th", has_text="bot").first
            expect(head).to_have_attribute("aria-sort", "ascending")
            names = page.locator("table.standings tbody th").all_inner_texts()
            assert names == sorted(names)
            page.goto(f"{address}game.html?game={blocks[-1].key.hex()[:10]}-0#end")
            expect(page.locator("body[data-ready=yes]")).to_be_attached()
            context.close()
        assert wrong == []


@pytest.mark.soak
def test_blocks_played_before_a_page_listens(
    run_folder: Path, browser: Browser, tmp_path: Path
) -> None:
    """The page was made before, and is told nothing of what came since."""
    with Run.open(run_folder) as run:
        about, blocks = run.header, list(run.blocks())
    with Run.create(tmp_path / "growing", about) as growing:
        growing.begin_session("code", 1)
        growing.add(blocks[:2])
        with watched(tmp_path / "growing") as address:
            page = browser.new_page()
            held: list[Route] = []
            page.route("**/events", lambda route: held.append(route))  # noqa: PLW0108 (it has to be ours)
            page.goto(address)
            caption = page.locator("table.standings caption")
            expect(caption).to_contain_text("in 2 blocks")
            growing.add(blocks[2:])
            until = time.monotonic() + 60
            while f"in {len(blocks)} blocks" not in fetched(address):
                assert time.monotonic() < until
                time.sleep(0.1)
            while not held:
                page.wait_for_timeout(50)
            held[0].continue_()
            expect(caption).to_contain_text(f"in {len(blocks)} blocks", timeout=60_000)
            page.close()


def fetched(address: str) -> str:
    """A page as it is served now."""
    with urllib.request.urlopen(address) as answer:  # noqa: S310 (a server of our own)
        return str(answer.read().decode())
