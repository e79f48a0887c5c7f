"""What serves a ladder: its pages as they change, the form, and the interface for programs."""

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

from arena.ladder import telling
from arena.web.access import Logged
from arena.web.api import bots, faults, games, health, nights, standings, submissions
from arena.web.api.desk import Desk
from arena.web.api.failures import Problem
from arena.web.api.guide import Guide
from arena.web.api.operations import Answering, told
from arena.web.guarding import Guarded
from arena.web.pages import SitePages, answered
from arena.web.prefix import Prefixed
from arena.web.sending import PER_ADDRESS, Sending
from arena.web.server import Server
from arena.web.showing import Content, Showing
from arena.web.submitting import Submitting
from arena.web.templating import statics
from arena.web.turns import Turns

THREADS = 24
"""More than there are places for anything, so that nobody waits for a thread."""

SWITCH = 0.001
"""Seconds after which a thread that works out pages lets others answer: not five times as many."""

OPERATIONS = (
    *submissions.OPERATIONS,
    standings.OPERATION,
    *bots.OPERATIONS,
    *faults.OPERATIONS,
    *games.OPERATIONS,
    nights.OPERATION,
    health.OPERATION,
)
API = "/api/"


def server(folder: Path, prefix: str = "", per_address: int = PER_ADDRESS) -> Server:
    """Serves the ladder in a folder below a prefix, and works on what is submitted to it."""
    sys.setswitchinterval(SWITCH)
    site, mark = telling.Narrator(folder).site, partial(telling.mark, folder)
    desk = Desk(Showing(folder, site, mark), Turns(folder))
    ends = [desk.showing.end, desk.conversations.end]
    served = app(desk, prefix, per_address)
    return Server(served, ends, per_address, log_config=None, access_log=False)


def app(desk: Desk, prefix: str = "", per_address: int = PER_ADDRESS) -> ASGIApp:
    """What serves the ladder of a desk, below a prefix."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        tasks = [
            asyncio.create_task(desk.showing.follow()),
            asyncio.create_task(desk.turns.take()),
        ]
        yield
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    served = Starlette(
        routes=routes(desk),
        exception_handlers={Exception: failed},
        lifespan=lifespan,
    )
    served.router.redirect_slashes = False  # it would believe what Host says
    return Logged(Guarded(Sending(Prefixed(served, prefix), per_address)))


def routes(desk: Desk) -> list[Route]:
    """Every path."""
    operations = sorted(Guide(OPERATIONS).operations, key=lambda one: one.path)
    answering = [
        Route(path, Answering(desk, list(same)))
        for path, same in groupby(operations, lambda one: one.path)
    ]
    ours = [
        Route(f"/{path}", partial(static, Content.of(body), guess_type(path)[0] or ""))
        for path, body in statics().items()
    ]
    return [
        *answering,
        Route(f"{API}{{rest:path}}", Unknown()),
        Route("/submit", Submitting(desk).page),
        *ours,
        *SitePages(desk.showing).routes(),
    ]


class Unknown:
    """Says that there is nothing."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say so, however it is asked for."""
        answer = told(Problem("there is nothing here; the page api says what there is"), 404)
        await answer(scope, receive, send)


async def static(content: Content, kind: str, request: Request) -> Response:
    """A script or style of ours."""
    return answered(request, content, kind)


async def failed(_: Request, _error: Exception) -> Response:
    """What is said when something of ours broke."""
    return told(Problem("something of ours broke, which is written down; try again later"), 500)
