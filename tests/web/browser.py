"""A real browser that opens pages of a server and records their errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.report.conftest import CHROMIUM_OPTIONS
from tests.suite import tools
from tests.web.server_process import ServerProcess

expect.set_options(timeout=60_000)  # five seconds may be too little on a busy machine


@contextmanager
def launch_chromium() -> Iterator[Browser]:
    """Launch a headless Chromium; while it runs no other event loop can run."""
    path = tools.require_chromium()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        yield started
        started.close()


@dataclass
class BrowserVisit:
    """A browser page on a server, with the errors that it reported."""

    page: Page
    address: str
    errors: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Go to a path."""
        self.page.goto(f"{self.address}{path}")
        return self.page

    def check_request(self, url: str) -> None:
        """Record requests to other servers as errors."""
        if not url.startswith((self.address, "data:", "blob:")):
            self.errors.append(f"asks for {url}")


@contextmanager
def open_visit(
    browser: Browser,
    there: ServerProcess,
    *,
    prefix: str = "",
    width: int = 1280,
    scripts: bool = True,
) -> Iterator[BrowserVisit]:
    """Open a browser page and check at the end that it reported no errors."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, java_script_enabled=scripts
    )
    context.set_default_timeout(60_000)
    visit = BrowserVisit(context.new_page(), f"http://127.0.0.1:{there.port}{prefix}")
    page = visit.page
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    page.on("request", lambda request: visit.check_request(request.url))
    page.on(
        "console",
        lambda said: visit.errors.append(said.text) if said.type in {"error", "warning"} else None,
    )
    yield visit
    context.close()
    assert visit.errors == []
