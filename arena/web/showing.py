"""What is shown of a run that goes on: its site, worked out again when something was played."""

import asyncio
import logging
import time
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

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


class Shown(NamedTuple):
    """A site, and the pages of it that were asked for so far."""

    site: Site
    pages: dict[str, bytes]


class Showing:
    """The site of a run as it stood a moment ago."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = 1
        self.shown = Shown(self.look(), {})
        self.changed = asyncio.Event()
        self.ended = False

    def look(self) -> Site:
        """The site as the run stands now."""
        with Run.open(self.folder) as run:
            return Site(Pages(survey(run), run.name, live=True))

    def stale(self) -> bool:
        """Whether something was played in the meantime."""
        with Run.open(self.folder) as run:
            return len(run.done()) != self.shown.site.pages.survey.blocks

    async def follow(self) -> None:
        """Look again and again; whoever waits is told when something is new."""
        while True:
            begun = time.monotonic()
            try:
                if await asyncio.to_thread(self.stale):
                    self.show(await asyncio.to_thread(self.look))
            except ArenaError as error:
                LOG.warning("%s", error)  # what cannot be read just now can be at the next look
            except Exception:  # a mistake of ours is not to end what people watch
                LOG.exception("the run cannot be looked at")
            await asyncio.sleep(max(REST, SHARE * (time.monotonic() - begun)))

    def show(self, site: Site) -> None:
        """From now on this is shown; all who wait are told."""
        self.shown = Shown(site, {})
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def end(self) -> None:
        """Nothing more will be shown; all who wait are told."""
        self.ended = True
        self.changed.set()

    def content(self, path: str) -> bytes:
        """What a file of the site holds."""
        site, pages = self.shown  # another one may be shown before this page is made
        found = pages.get(path)
        if found is None:
            with Run.open(self.folder) as run:
                found = site.content(path, run)
            if path in site.made:
                pages[path] = found
        return found

    def games_sheet(self) -> Generator[bytes, None, None]:
        """Every seat of every game, as a sheet."""
        with Run.open(self.folder) as run:
            yield from self.shown.site.games_sheet(run)
