"""What all API operations share: authentication, and reading the registry, run and site."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request

from arena.errors import ArenaError
from arena.ladder.registry import Registry
from arena.ladder.tokens import find_owner
from arena.report.pages.base import Pages
from arena.store.run import Run
from arena.web.auth import BearerAuth
from arena.web.errors import ApiError, retry_later_error
from arena.web.limits import Busy, ConcurrencyLimit
from arena.web.site_cache import SiteCache
from arena.web.streams import StreamLimit
from arena.web.submission_events import SubmissionFeed
from arena.web.submission_queue import SubmissionQueue

LOG = logging.getLogger(__name__)

T = TypeVar("T")

MAX_READS, MAX_WAITING = 4, 64
"""Looks into the store at the same time, and how many may wait for theirs."""
MAX_LISTENERS = 200
"""Those who listen to what submissions are told."""
RETRY_SECONDS = 5
"""Seconds after which whoever was sent away may ask again."""


class ApiContext:
    """The ladder as those see it who answer questions about it."""

    def __init__(self, site_cache: SiteCache, queue: SubmissionQueue) -> None:
        self.folder = site_cache.folder
        self.site_cache = site_cache
        self.queue = queue
        self.read_limit = ConcurrencyLimit(MAX_READS, MAX_WAITING)
        self.auth = BearerAuth()
        self.feed = SubmissionFeed(self.folder, queue, self.page_path, self.read_limit)
        self.listeners = StreamLimit(MAX_LISTENERS)
        self.health_check: asyncio.Task[Any] | None = None
        """The look at whether the ladder is well, which is taken once for all who ask."""
        self.sending_owners: set[str] = set()
        """The owners who are sending something."""

    def page_path(self, bot: str) -> str | None:
        """Where a version is shown, if the site knows it."""
        return self.site_cache.current.site.pages.bot_paths.get(bot)

    async def authenticate(self, request: Request) -> str:
        """Whose token a question comes with; raises if it is nobody's."""
        token = self.auth.read_token(request)
        owner = await self.read_registry(lambda registry: find_owner(registry, token))
        if owner is None:
            raise self.auth.wrong_token_error(request)
        return owner

    async def read_registry(self, ask: Callable[[Registry], T]) -> T:
        """Ask the registry in a thread."""

        def asked() -> T:
            with Registry.open(self.folder) as registry:
                return ask(registry)

        return await self.run_in_thread(asked)

    async def read_run(self, ask: Callable[[Run], T]) -> T:
        """Ask the store in a thread."""

        def asked() -> T:
            with Run.open(self.folder) as run:
                return ask(run)

        return await self.run_in_thread(asked)

    async def run_in_thread(self, costly: Callable[[], T]) -> T:
        """Do something costly in a thread, when there is a place."""
        try:
            async with self.read_limit.slot():
                return await asyncio.to_thread(costly)
        except Busy:
            raise busy_error() from None
        except ArenaError as error:
            raise unreadable_error(error) from error

    async def site_pages(self) -> Pages:
        """How all versions stand on the site that is shown now, worked out once for each site."""
        pages = self.site_cache.current.site.pages
        if "known" not in vars(pages):
            await self.run_in_thread(lambda: pages.known)
        return pages


def busy_error() -> ApiError:
    """What is said when too many ask."""
    return retry_later_error(503, "too many ask for this just now; try again", RETRY_SECONDS)


def unreadable_error(error: Exception) -> ApiError:
    """What is said when the ladder cannot be read; why is nobody else's business."""
    LOG.warning("%s", error)
    return retry_later_error(503, "the ladder cannot be read just now; try again", RETRY_SECONDS)
