"""API: whether the ladder can be read, with queue length, last night and free disk space."""

import asyncio
import shutil
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.ladder.registry import Registry
from arena.store.run import Run
from arena.web.api.context import ApiContext, unreadable_error
from arena.web.api.routing import DocumentedResponse, Operation, json_response


class Health(Struct, frozen=True, kw_only=True):
    """How the ladder is."""

    status: Literal["ok", "unreadable"]
    site: str
    """When what is shown was worked out, in UTC."""
    waiting: int | None = None
    """Submissions that wait."""
    running: int | None = None
    """And those that are worked on."""
    night: int | None = None
    """The last night."""
    night_age: int | None = None
    """Seconds since it ended, or since it began if it goes on."""
    night_over: bool | None = None
    free: int | None = None
    """Bytes on its disk."""


async def get_health(context: ApiContext, _: Request, _asked: object) -> Response:
    """How the ladder is, looked at once for all who ask meanwhile."""
    site = context.site_cache.current.site.pages.survey.computed_at
    try:  # it never waits for a place: many questions are not to be taken for an illness
        if context.health_check is None or context.health_check.done():
            context.health_check = asyncio.create_task(
                asyncio.to_thread(read_health, context, site)
            )
        found: Health = await asyncio.shield(context.health_check)
    except ArenaError as error:
        failure = unreadable_error(error)
        return json_response(
            Health(status="unreadable", site=site), failure.status, failure.headers
        )
    return json_response(found)


def read_health(context: ApiContext, site: str) -> Health:
    """How the ladder is."""
    with Run.open(context.folder), Registry.open(context.folder) as registry:
        count = registry.open_submission_counts()
        number, began, ended = registry.latest_night_times() or (None, None, None)
    moment = ended or began
    return Health(
        status="ok",
        site=site,
        waiting=count.get("waiting", 0),
        running=count.get("running", 0),
        night=number,
        night_age=None if moment is None else seconds_since(moment),
        night_over=None if number is None else ended is not None,
        free=shutil.disk_usage(context.folder).free,
    )


def seconds_since(moment: str) -> int:
    """Seconds since a moment."""
    return max(0, int((datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()))


OPERATION = Operation(
    name="health",
    method="GET",
    path="/healthz",
    summary="Whether the ladder is well: when the site was made, who waits, and what is free.",
    handler=get_health,
    responses={
        200: DocumentedResponse("It is", Health),
        503: DocumentedResponse("It cannot be read", Health),
    },
)
