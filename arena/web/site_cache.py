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
"""The least seconds between two checks."""
PAUSE_FACTOR = 10
"""The pause after a check, as a multiple of its duration, to leave the CPU to the games."""
MAX_CACHE_BYTES = 128 << 20
"""Bytes of cached pages; further pages are rendered for each request."""
MAX_PRERENDERED = 20
"""Pages of a new site that are rendered at once, because they were requested before."""


class TaggedContent(NamedTuple):
    """The content of a file and its entity tag."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, body: bytes) -> Self:
        """Compute the tag of some content."""
        return cls(body, f'"{sha256(body).hexdigest()[:24]}"')


class CachedSite(NamedTuple):
    """A site, the revision of the data it was built from, and its cached pages."""

    site: Site
    revision: object
    rendered_pages: dict[str, TaggedContent]


class SiteCache:
    """The current site of a run's folder, rebuilt when the run changes."""

    def __init__(
        self, folder: Path, build_site: Callable[[], Site], read_revision: Callable[[], object]
    ) -> None:
        self.folder = folder
        self.build_site = build_site
        """Builds the site as the run stands now."""
        self.read_revision = read_revision
        """Returns another value whenever the site has to be rebuilt."""
        self.version = 1
        self.requested_paths: dict[str, None] = {}
        """Paths that were requested since the last rebuild; an ordered set."""
        self.current = self.rebuild()
        self.change_event = asyncio.Event()
        self.is_stopped = False

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """Create the cache of a tournament, which follows it while it is played."""

        def build_site() -> Site:
            with Run.open(folder) as run:
                return Site(Pages(survey_run(run), run.name, live=True))

        def count_blocks() -> object:
            with Run.open(folder) as run:
                return len(run.block_keys())

        return cls(folder, build_site, count_blocks)

    def rebuild(self) -> CachedSite:
        """Build the site as it stands now; the next check finds what is added meanwhile."""
        revision = self.read_revision()
        site = self.build_site()
        return CachedSite(site, revision, self.prerender_pages(site))

    def prerender_pages(self, site: Site) -> dict[str, TaggedContent]:
        """Render the pages of a new site that will be requested again."""
        paths = [path for path in list(self.requested_paths) if path in site.page_builders][
            :MAX_PRERENDERED
        ]
        if not paths:
            return {}
        with Run.open(self.folder) as run:
            return {path: TaggedContent.of(site.content(path, run)) for path in paths}

    def is_stale(self) -> bool:
        """Whether the run has changed."""
        return self.read_revision() != self.current.revision

    async def rebuild_on_change(self) -> None:
        """Rebuild and publish the site whenever the run has changed; never returns."""
        while True:
            started = time.monotonic()
            try:
                if await asyncio.to_thread(self.is_stale):
                    self.publish(await asyncio.to_thread(self.rebuild))
            except (ArenaError, OSError) as error:
                LOG.warning("%s", error)  # the run may be readable at the next check
            except Exception:  # an unexpected error must not stop the server
                LOG.exception("the site cannot be rebuilt")
            await asyncio.sleep(max(MIN_INTERVAL, PAUSE_FACTOR * (time.monotonic() - started)))

    def publish(self, site: CachedSite) -> None:
        """Show a new site, and wake all listeners."""
        self.current = site
        self.requested_paths = {}
        self.version += 1
        self.change_event.set()
        self.change_event = asyncio.Event()

    def stop(self) -> None:
        """Wake all listeners so that they end."""
        self.is_stopped = True
        self.change_event.set()

    def cached_content(self, path: str) -> TaggedContent | None:
        """Return the content of a file if it is cached."""
        content = self.current.rendered_pages.get(path)
        if content is not None:
            self.requested_paths[path] = None
        return content

    def content(self, path: str) -> TaggedContent:
        """Return the content of a file, from the cache or built."""
        site, _, rendered_pages = (
            self.current
        )  # a rebuild may replace it while this page is rendered
        content = rendered_pages.get(path)
        if content is None:
            with Run.open(self.folder) as run:
                content = TaggedContent.of(site.content(path, run))
            size = sum(len(cached.body) for cached in list(rendered_pages.values())) + len(
                content.body
            )
            if path in site.static_files or (
                path in site.page_builders and size <= MAX_CACHE_BYTES
            ):
                rendered_pages[path] = content
                self.requested_paths[path] = None
        return content

    def games_csv(self) -> Generator[bytes, None, None]:
        """Build `games.csv` in parts."""
        yield from self.current.site.games_csv(lambda: Run.open(self.folder))
