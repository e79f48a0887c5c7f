"""The ASGI app of a ladder: live pages, the submission form and the HTTP API."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from itertools import groupby
from mimetypes import guess_type
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.ladder.folder import upgrade_ladder
from arena.ladder.pages import LadderSite, ladder_revision
from arena.web.api import bots, games, health, standings, submissions
from arena.web.api.context import ApiContext
from arena.web.api.openapi import ApiGuide
from arena.web.api.routing import OperationEndpoint, json_response
from arena.web.api_errors import Problem
from arena.web.middleware import AccessLog, PathPrefix, SecurityHeaders
from arena.web.pages import SiteEndpoints, content_response
from arena.web.response_limits import PER_ADDRESS, ResponseLimiter
from arena.web.server import Server
from arena.web.site_cache import SiteCache, TaggedContent
from arena.web.submission_queue import SubmissionQueue, serve_lock
from arena.web.submit_page import SubmitPage, static_files

THREADS = 24
"""More than all limits together allow, so that no task waits for a thread."""

SWITCH_INTERVAL = 0.001
"""Seconds after which Python switches threads; with the default of 0.005 pages delay answers."""

OPERATIONS = (
    *submissions.OPERATIONS,
    standings.STANDINGS_OPERATION,
    *bots.BOT_OPERATIONS,
    *bots.FAULT_OPERATIONS,
    *games.OPERATIONS,
    standings.NIGHTS_OPERATION,
    health.OPERATION,
)
API_PREFIX = "/api/"


@contextmanager
def open_ladder_server(
    folder: Path, prefix: str = "", per_address: int = PER_ADDRESS
) -> Iterator[Server]:
    """Create the server of a ladder; the ladder has no other server until the context ends."""
    with serve_lock(folder):
        upgrade_ladder(folder)
        sys.setswitchinterval(SWITCH_INTERVAL)
        build_site, read_revision = LadderSite(folder).build_site, partial(ladder_revision, folder)
        context = ApiContext(SiteCache(folder, build_site, read_revision), SubmissionQueue(folder))
        yield Server(
            create_app(context, prefix, per_address),
            [context.site_cache.stop, context.feed.stop],
            per_address,
            log_config=None,
            access_log=False,
        )


def create_app(context: ApiContext, prefix: str = "", per_address: int = PER_ADDRESS) -> ASGIApp:
    """Create the app that serves a ladder below a prefix."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        tasks = [
            asyncio.create_task(context.site_cache.rebuild_on_change()),
            asyncio.create_task(context.queue.run_workers()),
        ]
        yield
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    app = Starlette(
        routes=routes(context),
        exception_handlers={Exception: error_response},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # a redirect would trust the Host header
    return AccessLog(SecurityHeaders(ResponseLimiter(PathPrefix(app, prefix), per_address)))


def routes(context: ApiContext) -> list[Route]:
    """All routes: the API, the submission form and the pages of the site."""
    operations = sorted(ApiGuide(OPERATIONS).operations, key=lambda one: one.path)
    api_routes = [
        Route(path, OperationEndpoint(context, list(same_path)))
        for path, same_path in groupby(operations, lambda one: one.path)
    ]
    static_routes = [
        Route(f"/{path}", partial(static_file, TaggedContent.of(body), guess_type(path)[0] or ""))
        for path, body in static_files().items()
    ]
    return [
        *api_routes,
        Route(f"{API_PREFIX}{{rest:path}}", UnknownApiPath()),
        Route("/submit", SubmitPage(context).page),
        *static_routes,
        *SiteEndpoints(context.site_cache).routes(),
    ]


class UnknownApiPath:
    """Answers paths of the API that do not exist."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 404, whatever the method."""
        answer = json_response(Problem("unknown path; the page 'api' lists all paths"), 404)
        await answer(scope, receive, send)


async def static_file(content: TaggedContent, kind: str, request: Request) -> Response:
    """Serve a script or style sheet of this package."""
    return content_response(request, content, kind)


async def error_response(_: Request, _error: Exception) -> Response:
    """The answer to a request that raised an unexpected error."""
    return json_response(Problem("internal error, which was logged; try again later"), 500)
