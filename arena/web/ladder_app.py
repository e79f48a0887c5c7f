"""The ASGI app of a ladder: live pages, the submission form and the HTTP API."""

import asyncio
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import groupby
from mimetypes import guess_type
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.ladder import pages
from arena.web.api import bots, games, health, standings, submissions
from arena.web.api.context import ApiContext
from arena.web.api.openapi import ApiGuide
from arena.web.api.operations import OperationEndpoint, json_response
from arena.web.errors import Problem
from arena.web.middleware import AccessLog, PathPrefix, SecurityHeaders
from arena.web.pages import SitePages, content_response
from arena.web.sending import PER_ADDRESS, ResponseLimiter
from arena.web.server import Server
from arena.web.site_cache import SiteCache, TaggedContent
from arena.web.submission_queue import SubmissionQueue
from arena.web.submit_page import SubmitPage, static_files

THREADS = 24
"""More than there are places for anything, so that nobody waits for a thread."""

SWITCH = 0.001
"""Seconds after which a thread that works out pages lets others answer: not five times as many."""

OPERATIONS = (
    *submissions.OPERATIONS,
    standings.STANDINGS_OPERATION,
    *bots.BOT_OPERATIONS,
    *bots.FAULT_OPERATIONS,
    *games.OPERATIONS,
    standings.NIGHTS_OPERATION,
    health.OPERATION,
)
API = "/api/"


def create_server(folder: Path, prefix: str = "", per_address: int = PER_ADDRESS) -> Server:
    """Serves the ladder in a folder below a prefix, and works on what is submitted to it."""
    sys.setswitchinterval(SWITCH)
    site, mark = pages.LadderSite(folder).build_site, partial(pages.revision, folder)
    desk = ApiContext(SiteCache(folder, site, mark), SubmissionQueue(folder))
    ends = [desk.site_cache.stop, desk.feed.stop]
    served = create_app(desk, prefix, per_address)
    return Server(served, ends, per_address, log_config=None, access_log=False)


def create_app(context: ApiContext, prefix: str = "", per_address: int = PER_ADDRESS) -> ASGIApp:
    """What serves the ladder of a desk, below a prefix."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        tasks = [
            asyncio.create_task(context.site_cache.follow()),
            asyncio.create_task(context.queue.run_workers()),
        ]
        yield
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    served = Starlette(
        routes=routes(context),
        exception_handlers={Exception: error_response},
        lifespan=lifespan,
    )
    served.router.redirect_slashes = False  # it would believe what Host says
    return AccessLog(SecurityHeaders(ResponseLimiter(PathPrefix(served, prefix), per_address)))


def routes(context: ApiContext) -> list[Route]:
    """Every path."""
    operations = sorted(ApiGuide(OPERATIONS).operations, key=lambda one: one.path)
    answering = [
        Route(path, OperationEndpoint(context, list(same)))
        for path, same in groupby(operations, lambda one: one.path)
    ]
    ours = [
        Route(f"/{path}", partial(static_file, TaggedContent.of(body), guess_type(path)[0] or ""))
        for path, body in static_files().items()
    ]
    return [
        *answering,
        Route(f"{API}{{rest:path}}", UnknownPath()),
        Route("/submit", SubmitPage(context).page),
        *ours,
        *SitePages(context.site_cache).routes(),
    ]


class UnknownPath:
    """Says that there is nothing."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say so, however it is asked for."""
        answer = json_response(
            Problem("there is nothing here; the page api says what there is"), 404
        )
        await answer(scope, receive, send)


async def static_file(content: TaggedContent, kind: str, request: Request) -> Response:
    """A script or style of ours."""
    return content_response(request, content, kind)


async def error_response(_: Request, _error: Exception) -> Response:
    """What is said when something of ours broke."""
    return json_response(
        Problem("something of ours broke, which is written down; try again later"), 500
    )
