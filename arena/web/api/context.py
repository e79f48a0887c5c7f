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
from arena.web.api_errors import ApiError, retry_later_error
from arena.web.bearer_auth import BearerAuth
from arena.web.limits import ConcurrencyLimit, LimitReached
from arena.web.site_cache import SiteCache
from arena.web.streams import StreamLimit
from arena.web.submission_events import SubmissionFeed
from arena.web.submission_queue import SubmissionQueue

LOG = logging.getLogger(__name__)

T = TypeVar("T")

MAX_READS, MAX_WAITING = 4, 64
"""Reads of the store at the same time, and that may wait."""
MAX_LISTENERS = 200
"""Listeners to the events of submissions."""
RETRY_SECONDS = 5
"""Seconds after which a rejected client may try again."""


class ApiContext:
    """State and helpers that all operations of the API share."""

    def __init__(self, site_cache: SiteCache, queue: SubmissionQueue) -> None:
        self.folder = site_cache.folder
        self.site_cache = site_cache
        self.queue = queue
        self.read_limit = ConcurrencyLimit(MAX_READS, MAX_WAITING)
        self.auth = BearerAuth()
        self.feed = SubmissionFeed(self.folder, queue, self.page_path, self.read_limit)
        self.listeners = StreamLimit(MAX_LISTENERS)
        self.health_check: asyncio.Task[Any] | None = None
        """The running health check, shared by all requests for it."""
        self.uploading_owners: set[str] = set()
        """Owners of uploads in progress."""

    def page_path(self, bot: str) -> str | None:
        """The page of a version, if the site has one."""
        return self.site_cache.current.site.pages.bot_paths.get(bot)

    async def authenticate(self, request: Request) -> str:
        """Return the owner of the token of a request; raises `ApiError` if it is unknown."""
        token = self.auth.read_token(request)
        owner = await self.read_registry(lambda registry: find_owner(registry, token))
        if owner is None:
            raise self.auth.wrong_token_error(request)
        return owner

    async def read_registry(self, read: Callable[[Registry], T]) -> T:
        """Call a function with the registry in a thread."""

        def call() -> T:
            with Registry.open(self.folder) as registry:
                return read(registry)

        return await self.run_in_thread(call)

    async def read_run(self, read: Callable[[Run], T]) -> T:
        """Call a function with the run in a thread."""

        def call() -> T:
            with Run.open(self.folder) as run:
                return read(run)

        return await self.run_in_thread(call)

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        """Call a costly function in a thread, within the limit of reads."""
        try:
            async with self.read_limit.slot():
                return await asyncio.to_thread(function)
        except LimitReached:
            raise busy_error() from None
        except ArenaError as error:
            raise unreadable_error(error) from error

    async def site_pages(self) -> Pages:
        """The pages of the current site, with the lines of all versions computed."""
        pages = self.site_cache.current.site.pages
        if "lines_by_bot" not in vars(pages):
            await self.run_in_thread(lambda: pages.lines_by_bot)
        return pages


def busy_error() -> ApiError:
    """The error when a limit is reached."""
    return retry_later_error(503, "too many requests just now; try again", RETRY_SECONDS)


def unreadable_error(error: Exception) -> ApiError:
    """The error when the ladder cannot be read; the reason is only logged."""
    LOG.warning("%s", error)
    return retry_later_error(503, "the ladder cannot be read just now; try again", RETRY_SECONDS)
