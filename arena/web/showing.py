"""What is shown of a run that goes on: its site, worked out again when something is new."""

import asyncio
import logging
import time
from collections.abc import Callable, Generator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from arena.errors import ArenaError
from arena.report.pages import Pages
from arena.report.site import Site
from arena.report.survey import survey
from arena.store.run import Run

LOG = logging.getLogger(__name__)

REST = 3.0
"""Seconds between two looks at least."""
SHARE = 10
"""It rests as many times as long as a look takes, so that the games hardly notice it."""
KEPT = 128 << 20
"""Bytes of pages that are kept; others are made each time somebody asks for them."""
PREPARED = 20
"""Pages that are made before anybody asks for them, if somebody did the last time."""


class Content(NamedTuple):
    """What a file of the site holds, and a tag that tells whether it is still the same."""

    body: bytes
    tag: str

    @classmethod
    def of(cls, body: bytes) -> Self:
        """A content with its tag."""
        return cls(body, f'"{sha256(body).hexdigest()[:24]}"')


class Shown(NamedTuple):
    """A site, what it was told by, and the pages of it that were asked for so far."""

    site: Site
    mark: object
    pages: dict[str, Content]


class Showing:
    """The site of a run's folder as it stood a moment ago."""

    def __init__(self, folder: Path, site: Callable[[], Site], mark: Callable[[], object]) -> None:
        self.folder = folder
        self.site = site
        """Works out the site as the run stands now."""
        self.mark = mark
        """Tells something else whenever the site would be another."""
        self.version = 1
        self.asked: dict[str, None] = {}
        """What somebody asked for since something was new."""
        self.shown = self.look()
        self.changed = asyncio.Event()
        self.ended = False

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """What is shown of a tournament while it is played."""

        def site() -> Site:
            with Run.open(folder) as run:
                return Site(Pages(survey(run), run.name, live=True))

        def blocks() -> object:
            with Run.open(folder) as run:
                return len(run.done())

        return cls(folder, site, blocks)

    def look(self) -> Shown:
        """The site as it stands now; what comes while it is worked out is seen the next time."""
        mark = self.mark()
        site = self.site()
        return Shown(site, mark, self.prepared(site))

    def prepared(self, site: Site) -> dict[str, Content]:
        """The pages of a site that readers will ask for again, so that nobody waits for them."""
        wanted = [path for path in list(self.asked) if path in site.made][:PREPARED]
        if not wanted:
            return {}
        with Run.open(self.folder) as run:
            return {path: Content.of(site.content(path, run)) for path in wanted}

    def stale(self) -> bool:
        """Whether something is new."""
        return self.mark() != self.shown.mark

    async def follow(self) -> None:
        """Look again and again; whoever waits is told when something is new."""
        while True:
            begun = time.monotonic()
            try:
                if await asyncio.to_thread(self.stale):
                    self.show(await asyncio.to_thread(self.look))
            except (ArenaError, OSError) as error:
                LOG.warning("%s", error)  # what cannot be read just now can be at the next look
            except Exception:  # a mistake of ours is not to end what people watch
                LOG.exception("the run cannot be looked at")
            await asyncio.sleep(max(REST, SHARE * (time.monotonic() - begun)))

    def show(self, shown: Shown) -> None:
        """From now on this is shown; all who wait are told."""
        self.shown = shown
        self.asked = {}
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def end(self) -> None:
        """Nothing more will be shown; all who wait are told."""
        self.ended = True
        self.changed.set()

    def ready(self, path: str) -> Content | None:
        """What a file of the site holds, if it was made before."""
        found = self.shown.pages.get(path)
        if found is not None:
            self.asked[path] = None
        return found

    def content(self, path: str) -> Content:
        """What a file of the site holds."""
        site, _, pages = self.shown  # another one may be shown before this page is made
        found = pages.get(path)
        if found is None:
            with Run.open(self.folder) as run:
                found = Content.of(site.content(path, run))
            size = sum(len(one.body) for one in list(pages.values())) + len(found.body)
            if path in site.static or (path in site.made and size <= KEPT):
                pages[path] = found
                self.asked[path] = None
        return found

    def games_sheet(self) -> Generator[bytes, None, None]:
        """Every seat of every game, as a sheet."""
        yield from self.shown.site.games_sheet(lambda: Run.open(self.folder))
