"""The current site of a run, rebuilt in the background when the run changes."""

import asyncio
import logging
import time
from collections.abc import Callable, Generator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from arena.errors import ArenaError
from arena.report.data.survey import survey_run
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.run import Run

LOG = logging.getLogger(__name__)

MIN_INTERVAL = 3.0
"""Seconds between two looks at least."""
REST_FACTOR = 10
"""It rests as many times as long as a look takes, so that the games hardly notice it."""
MAX_CACHE_BYTES = 128 << 20
"""Bytes of pages that are kept; others are made each time somebody asks for them."""
MAX_PREPARED = 20
"""Pages that are made before anybody asks for them, if somebody did the last time."""


class TaggedContent(NamedTuple):
    """What a file of the site holds, and a tag that tells whether it is still the same."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, body: bytes) -> Self:
        """A content with its tag."""
        return cls(body, f'"{sha256(body).hexdigest()[:24]}"')


class CachedSite(NamedTuple):
    """A site, what it was told by, and the pages of it that were asked for so far."""

    site: Site
    mark: object
    pages: dict[str, TaggedContent]


class SiteCache:
    """The site of a run's folder as it stood a moment ago."""

    def __init__(
        self, folder: Path, build_site: Callable[[], Site], read_mark: Callable[[], object]
    ) -> None:
        self.folder = folder
        self.build_site = build_site
        """Works out the site as the run stands now."""
        self.read_mark = read_mark
        """Tells something else whenever the site would be another."""
        self.version = 1
        self.requested_paths: dict[str, None] = {}
        """What somebody asked for since something was new."""
        self.current = self.rebuild()
        self.change_event = asyncio.Event()
        self.is_stopped = False

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """What is shown of a tournament while it is played."""

        def site() -> Site:
            with Run.open(folder) as run:
                return Site(Pages(survey_run(run), run.name, live=True))

        def blocks() -> object:
            with Run.open(folder) as run:
                return len(run.block_keys())

        return cls(folder, site, blocks)

    def rebuild(self) -> CachedSite:
        """The site as it stands now; what comes while it is worked out is seen the next time."""
        mark = self.read_mark()
        site = self.build_site()
        return CachedSite(site, mark, self.prepare_pages(site))

    def prepare_pages(self, site: Site) -> dict[str, TaggedContent]:
        """The pages of a site that readers will ask for again, so that nobody waits for them."""
        wanted = [path for path in list(self.requested_paths) if path in site.page_builders][
            :MAX_PREPARED
        ]
        if not wanted:
            return {}
        with Run.open(self.folder) as run:
            return {path: TaggedContent.of(site.content(path, run)) for path in wanted}

    def is_stale(self) -> bool:
        """Whether something is new."""
        return self.read_mark() != self.current.mark

    async def follow(self) -> None:
        """Look again and again; whoever waits is told when something is new."""
        while True:
            begun = time.monotonic()
            try:
                if await asyncio.to_thread(self.is_stale):
                    self.publish(await asyncio.to_thread(self.rebuild))
            except (ArenaError, OSError) as error:
                LOG.warning("%s", error)  # what cannot be read just now can be at the next look
            except Exception:  # a mistake of ours is not to end what people watch
                LOG.exception("the run cannot be looked at")
            await asyncio.sleep(max(MIN_INTERVAL, REST_FACTOR * (time.monotonic() - begun)))

    def publish(self, site: CachedSite) -> None:
        """From now on this is shown; all who wait are told."""
        self.current = site
        self.requested_paths = {}
        self.version += 1
        self.change_event.set()
        self.change_event = asyncio.Event()

    def stop(self) -> None:
        """Nothing more will be shown; all who wait are told."""
        self.is_stopped = True
        self.change_event.set()

    def cached_content(self, path: str) -> TaggedContent | None:
        """What a file of the site holds, if it was made before."""
        found = self.current.pages.get(path)
        if found is not None:
            self.requested_paths[path] = None
        return found

    def content(self, path: str) -> TaggedContent:
        """What a file of the site holds."""
        site, _, pages = self.current  # another one may be shown before this page is made
        found = pages.get(path)
        if found is None:
            with Run.open(self.folder) as run:
                found = TaggedContent.of(site.content(path, run))
            size = sum(len(one.body) for one in list(pages.values())) + len(found.body)
            if path in site.static_files or (
                path in site.page_builders and size <= MAX_CACHE_BYTES
            ):
                pages[path] = found
                self.requested_paths[path] = None
        return found

    def games_csv(self) -> Generator[bytes, None, None]:
        """Every seat of every game, as a sheet."""
        yield from self.current.site.games_csv(lambda: Run.open(self.folder))
