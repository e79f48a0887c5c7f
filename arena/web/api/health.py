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
    """The state of the ladder."""

    status: Literal["ok", "unreadable"]
    site: str
    """When the current site was computed, in UTC."""
    waiting: int | None = None
    """The number of waiting submissions."""
    running: int | None = None
    """The number of submissions that are being processed."""
    night: int | None = None
    """The number of the last night."""
    night_age: int | None = None
    """Seconds since it ended, or since it began if it has not ended."""
    night_over: bool | None = None
    free: int | None = None
    """Free bytes on its disk."""


async def get_health(context: ApiContext, _: Request, _query: object) -> Response:
    """Report the health of the ladder; requests at the same time share one check."""
    site = context.site_cache.current.site.pages.survey.computed_at
    try:  # without the limit of reads: a busy ladder is not an unhealthy one
        if context.health_check is None or context.health_check.done():
            context.health_check = asyncio.create_task(
                asyncio.to_thread(read_health, context, site)
            )
        health: Health = await asyncio.shield(context.health_check)
    except ArenaError as error:
        failure = unreadable_error(error)
        return json_response(
            Health(status="unreadable", site=site), failure.status, failure.headers
        )
    return json_response(health)


def read_health(context: ApiContext, site: str) -> Health:
    """Read the health of the ladder from its run and its registry."""
    with Run.open(context.folder), Registry.open(context.folder) as registry:
        count = registry.open_submission_counts()
        number, began, ended = registry.latest_night_times() or (None, None, None)
    time = ended or began
    return Health(
        status="ok",
        site=site,
        waiting=count.get("waiting", 0),
        running=count.get("running", 0),
        night=number,
        night_age=None if time is None else seconds_since(time),
        night_over=None if number is None else ended is not None,
        free=shutil.disk_usage(context.folder).free,
    )


def seconds_since(time: str) -> int:
    """Seconds since a time in ISO 8601."""
    return max(0, int((datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds()))


OPERATION = Operation(
    name="health",
    method="GET",
    path="/healthz",
    summary="Whether the ladder can be read; queue length, last night and free disk space.",
    handler=get_health,
    responses={
        200: DocumentedResponse("The ladder can be read", Health),
        503: DocumentedResponse("The ladder cannot be read", Health),
    },
)
