"""What serves the pages of a run, as they change."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware

from arena.web.guarding import Guarded
from arena.web.pages import SitePages
from arena.web.sending import Sending
from arena.web.showing import Showing


def app(showing: Showing) -> Starlette:
    """What serves the site of a run."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        following = asyncio.create_task(showing.follow())
        yield
        following.cancel()

    return Starlette(
        routes=SitePages(showing).routes(),
        middleware=[Middleware(Guarded), Middleware(Sending)],
        lifespan=lifespan,
    )
