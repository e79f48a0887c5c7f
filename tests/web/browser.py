"""A real browser that looks at a server, and notes whatever goes wrong in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.report.conftest import ALONE
from tests.suite import tools
from tests.web.server_process import Served

expect.set_options(timeout=60_000)  # five seconds may be too little on a busy machine


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window; while it is there no other event loop can run."""
    path = tools.chromium()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ALONE)
        yield started
        started.close()


@dataclass
class Visit:
    """A page of a server."""

    page: Page
    address: str
    wrong: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Go to a path."""
        self.page.goto(f"{self.address}{path}")
        return self.page

    def asked(self, url: str) -> None:
        """Nothing is asked of anybody else."""
        if not url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"asks for {url}")


@contextmanager
def visiting(
    browser: Browser, there: Served, *, prefix: str = "", width: int = 1280, scripts: bool = True
) -> Iterator[Visit]:
    """A visit that has to go without anything wrong."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, java_script_enabled=scripts
    )
    context.set_default_timeout(60_000)
    visit = Visit(context.new_page(), f"http://127.0.0.1:{there.port}{prefix}")
    page = visit.page
    page.on("pageerror", lambda error: visit.wrong.append(str(error)))
    page.on("request", lambda request: visit.asked(request.url))
    page.on(
        "console",
        lambda said: visit.wrong.append(said.text) if said.type in {"error", "warning"} else None,
    )
    yield visit
    context.close()
    assert visit.wrong == []
