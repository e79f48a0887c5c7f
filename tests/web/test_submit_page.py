"""The form in a real browser: a bot is sent, and what the ladder says is shown as it comes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import launch_chromium, open_visit
from tests.web.ladders import (
    BROKEN_BOT,
    FIRST_OPTION_BOT,
    create_ladder,
    create_token,
    serve_ladder,
)
from tests.web.server_process import ServerProcess

pytestmark = pytest.mark.slow

NARROW = 360


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launch_chromium() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_ladder(tmp_path_factory.mktemp("ladders") / "ladder")


@pytest.fixture(scope="module")
def form(folder: Path) -> Iterator[ServerProcess]:
    with serve_ladder(folder, "--prefix", "/our/ladder") as there:
        yield there


def fill(page: Page, shown: str, text: str, name: str = "", message: str = "") -> None:
    page.get_by_label("Token").fill(shown)
    page.get_by_label("File").set_input_files(
        {"name": "my.py", "mimeType": "text/x-python", "buffer": text.encode()}
    )
    page.get_by_label("Name").fill(name)
    page.get_by_label("Message").fill(message)
    page.get_by_role("button", name="Submit").click()


def check_narrow(page: Page) -> None:
    width: int = page.evaluate("document.documentElement.scrollWidth")
    assert width <= NARROW


def test_a_bot_that_is_accepted(browser: Browser, form: ServerProcess, folder: Path) -> None:
    """On a phone, below a prefix; it leads to the page of the bot."""
    shown = create_token(folder)
    with open_visit(browser, form, prefix="/our/ladder", width=NARROW) as visit:
        page = visit.open("/submit")
        check_narrow(page)
        fill(page, shown, FIRST_OPTION_BOT, "mine", "<img src=x onerror=alert(1)>")
        state = page.locator("#state")
        expect(state).to_contain_text("Accepted as mine v1", timeout=60_000)
        said = page.locator("#said")
        expect(said).to_contain_text("steps of the protocol kept")
        expect(said.locator("table")).to_contain_text("opponent")
        check_narrow(page)
        assert page.evaluate("localStorage.length + sessionStorage.length") == 0
        assert page.context.cookies() == []
        assert shown not in page.url
        state.get_by_role("link", name="See mine v1").click(timeout=60_000)
        expect(page.get_by_role("heading", level=1)).to_contain_text("mine")
        assert "/our/ladder/bots/" in page.url
        assert page.locator("img").count() == 0


def test_a_bot_that_is_refused(browser: Browser, form: ServerProcess, folder: Path) -> None:
    """What it wrote is shown as text."""
    with open_visit(browser, form, prefix="/our/ladder", width=NARROW) as visit:
        page = visit.open("/submit")
        fill(page, create_token(folder), BROKEN_BOT)
        expect(page.locator("#state")).to_have_text(
            "Refused; nothing of it is left on the ladder.", timeout=60_000
        )
        expect(page.locator("#said pre", has_text="<b>I am broken</b>␛[31m")).to_have_count(1)
        assert page.locator("#said b").count() == 0
        check_narrow(page)
        page.get_by_role("button", name="Submit").click()
        expect(page.locator("#state")).to_contain_text("Refused", timeout=60_000)


def test_rejected_uploads(browser: Browser, form: ServerProcess, folder: Path) -> None:
    with open_visit(browser, form, prefix="/our/ladder") as visit:
        page = visit.open("/submit")
        state = page.locator("#state")
        fill(page, "stich_wrong", FIRST_OPTION_BOT)
        expect(state).to_contain_text("Not taken: this token is not known")
        assert "401" in visit.errors.pop()
        fill(page, create_token(folder), "x" * (2 << 20))
        expect(state).to_contain_text("larger than 1 MiB")
        page.get_by_label("Name").fill("<b>")
        page.get_by_role("button", name="Submit").click()
        assert page.locator("#name:invalid").count() == 1


def test_without_scripts(browser: Browser, form: ServerProcess) -> None:
    """The form is not there, so that no token gets into an address; but what to type is."""
    with open_visit(browser, form, prefix="/our/ladder", scripts=False) as visit:
        page = visit.open("/submit")
        expect(page.locator("form")).to_be_hidden()
        expect(page.get_by_text("arena submit my-bot --to ADDRESS")).to_be_visible()
        expect(page.get_by_text("curl -H")).to_be_visible()
        expect(page.get_by_text("the form needs JavaScript")).to_be_visible()


@pytest.mark.soak
def test_a_server_that_is_started_again(browser: Browser, tmp_path: Path) -> None:
    """Whoever waits goes on to hear what is said, by the next server at the same place."""
    folder = create_ladder(tmp_path / "ladder")
    slow = (
        "import arena.web.submission_queue as t; t.SubmissionQueue.run_workers = lambda self: "
        "__import__('asyncio').sleep(99)\n"
    )
    shown = create_token(folder)
    with serve_ladder(folder, before=slow) as first, open_visit(browser, first) as visit:
        page = visit.open("/submit")
        fill(page, shown, BROKEN_BOT)
        expect(page.locator("#state")).to_contain_text("waits for its turn")
        first.process.kill()
        first.process.wait()
        expect(page.locator("#state")).to_contain_text("The connection broke")
        with serve_ladder(folder, "--port", str(first.port)):
            expect(page.locator("#state")).to_contain_text("Refused", timeout=60_000)
        visit.errors.clear()  # that the server was gone for a while


def test_the_page_about_the_interface(browser: Browser, form: ServerProcess) -> None:
    with open_visit(browser, form, prefix="/our/ladder", width=NARROW) as visit:
        page = visit.open("/api")
        check_narrow(page)
        expect(page.get_by_role("heading", level=1)).to_have_text("API")
        page.get_by_role("link", name="GET /api/games/{id}").click()
        assert page.url.endswith("#game")
        page.locator("#game").get_by_role("link", name="Played").click()
        expect(page.locator("#schema-Played")).to_be_visible()
        check_narrow(page)
