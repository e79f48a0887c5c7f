"""API: submit a bot, and follow the progress of a submission."""

import asyncio
import errno
from email.message import Message
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.ladder.disk_quota import NoRoom
from arena.ladder.models import Submission, SubmissionMessage
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.submissions.intake import (
    MAX_FILE_NAME,
    MAX_MESSAGE,
    IncomingSubmission,
    Intake,
    TooLarge,
    TooMany,
)
from arena.ladder.submissions.worker import lock_submission
from arena.web.api.context import RETRY_SECONDS, ApiContext, busy_error, unreadable_error
from arena.web.api.routing import COMPONENT, DocumentedResponse, Operation, json_response
from arena.web.errors import ApiError, retry_later_error
from arena.web.limits import Busy
from arena.web.submission_events import SubmissionHistory
from arena.web.uploads import check_length, receive_parts

MAX_UPLOADS = 8
"""Uploads at the same time."""
QUOTA_RETRY_SECONDS: Final = 3600
"""Seconds after which an owner with too many submissions may try again."""


class SubmitQuery(Struct, frozen=True):
    """What is said about a bot that is sent."""

    name: Annotated[
        str,
        Meta(
            pattern="^([A-Za-z0-9][A-Za-z0-9._-]{0,31})?$",
            max_length=32,
            description="under which it plays; by default as it calls itself",
        ),
    ] = ""
    message: Annotated[
        str, Meta(max_length=MAX_MESSAGE, description="what is new, in one line")
    ] = ""
    file: Annotated[
        str,
        Meta(
            max_length=MAX_FILE_NAME,
            description="what the file is called, unless Content-Disposition says it",
        ),
    ] = ""


class SubmissionQuery(Struct, frozen=True):
    """Which submission is wanted."""

    id: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]{22}$",
            max_length=22,
            description="what was answered when it was sent; whoever knows it may read all of it",
        ),
    ]


class QueuedSubmission(Struct, frozen=True, kw_only=True):
    """A submission that waits for its turn."""

    id: str
    url: str
    """Where all that it is told is read."""
    events: str
    """Where that is heard as it comes."""


class ServerSentEvent(Struct, frozen=True, kw_only=True):
    """A server-sent event: what is said next, that it is said again from the start, or the end."""

    event: Literal["said", "again", "end"]
    id: str = ""
    """For `Last-Event-ID`."""
    data: Annotated[
        str,
        Meta(
            extra_json_schema={
                "contentMediaType": "application/json",
                "contentSchema": {
                    "anyOf": [
                        {"$ref": COMPONENT.format(name=SubmissionMessage.__name__)},
                        {"$ref": COMPONENT.format(name=SubmissionHistory.__name__)},
                    ]
                },
            }
        ),
    ] = ""
    """What is said, or at the end the whole submission."""


async def submit(context: ApiContext, request: Request, query: SubmitQuery) -> Response:
    """Receive a submission."""
    owner = await context.authenticate(request)
    if owner in context.sending_owners:
        raise retry_later_error(
            429, f"{owner} is sending something already; wait until it is there", RETRY_SECONDS
        )
    if len(context.sending_owners) >= MAX_UPLOADS:
        raise retry_later_error(
            503, "too many are sending something just now; try again", RETRY_SECONDS
        )
    context.sending_owners.add(owner)
    try:
        submission = await receive_upload(context, request, owner, query)
    finally:
        context.sending_owners.discard(owner)
    context.queue.wake()
    url = f"{request.scope['root_path']}/api/submissions/{submission.id}"
    answer = QueuedSubmission(id=submission.id, url=url, events=f"{url}/events")
    return json_response(answer, 202, {"location": url})


async def receive_upload(
    context: ApiContext, request: Request, owner: str, query: SubmitQuery
) -> Submission:
    """Write an upload to the ladder; an incomplete one is removed."""
    file = query.file or header_file_name(request)
    if not file:
        raise ApiError(422, "what the file is called was not said; add file=my-bot.zip")
    try:
        intake = await asyncio.to_thread(Intake, context.folder)
        max_bytes = intake.submission_keys.size << 20
        check_length(request, max_bytes)
        incoming = await asyncio.to_thread(begin_upload, context, intake, owner, file, query)
        with lock_submission(incoming.folder):  # so that no cleanup removes it as a leftover
            try:
                async for part in receive_parts(request, max_bytes):
                    await asyncio.to_thread(incoming.write, part)
            except BaseException:
                incoming.discard()
                raise
            return await asyncio.shield(asyncio.to_thread(finish_upload, context, incoming))
    except TooLarge as error:
        raise ApiError(413, str(error)) from error
    except TooMany as error:
        raise retry_later_error(429, str(error), QUOTA_RETRY_SECONDS) from error
    except NoRoom as error:
        raise ApiError(507, str(error)) from error
    except BadSubmission as error:
        raise ApiError(422, str(error)) from error
    except (ArenaError, OSError) as error:
        if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT}:
            raise ApiError(507, "the disk of the ladder is full; send it later") from error
        raise unreadable_error(error) from error


def begin_upload(
    context: ApiContext, intake: Intake, owner: str, file: str, query: SubmitQuery
) -> IncomingSubmission:
    """Begin an upload, if its owner may send one now."""
    with Registry.open(context.folder) as registry:
        waiting = len(registry.submissions("waiting"))
        if waiting >= intake.submission_keys.waiting:
            raise retry_later_error(
                503, f"{waiting} submissions wait already; send it later", QUOTA_RETRY_SECONDS
            )
        return intake.begin_upload(registry, owner, file, query.name, query.message)


def finish_upload(context: ApiContext, incoming: IncomingSubmission) -> Submission:
    """Finish an upload: from now on the submission waits."""
    try:
        with Registry.open(context.folder) as registry:
            return incoming.finish(registry)
    except BaseException:
        incoming.discard()
        raise


def header_file_name(request: Request) -> str:
    """The file name in the header `Content-Disposition`."""
    header = Message()
    header["content-disposition"] = request.headers.get("content-disposition", "")
    return header.get_filename("")


async def get_submission(
    context: ApiContext, _: Request, query: SubmissionQuery
) -> SubmissionHistory:
    """Answer with a submission and its messages so far."""
    try:
        history = await context.feed.history(query.id)
    except Busy:
        raise busy_error() from None
    except ArenaError as error:
        raise unreadable_error(error) from error
    if history is None:
        raise ApiError(404, "there is no such submission")
    return history


async def stream_events(context: ApiContext, request: Request, query: SubmissionQuery) -> Response:
    """Answer with the events of a submission as they come."""
    first = await get_submission(context, request, query)
    last_event_id = request.headers.get("last-event-id", "")
    try:
        return context.listeners.event_stream(request, context.feed.events(first, last_event_id))
    except Busy:
        raise retry_later_error(503, "too many listen just now; try again", RETRY_SECONDS) from None


RETRY: Final = {"Retry-After": "seconds after which to try again"}
UNAUTHORIZED: Final = DocumentedResponse(
    "The token is missing or not known",
    headers={"WWW-Authenticate": "says that a bearer token is wanted"},
)
OPERATIONS = (
    Operation(
        name="submit",
        method="POST",
        path="/api/bots",
        summary="Send a bot: a script, or an archive of its folder. It waits for its turn; what it "
        "is told then is read by its id.",
        handler=submit,
        query_type=SubmitQuery,
        headers={
            "Content-Disposition": "what the file is called, such as `attachment; "
            'filename="my-bot.zip"`'
        },
        body="the file itself: a script, zip, tar, tar.gz, tar.bz2 or tar.xz",
        needs_token=True,
        responses={
            202: DocumentedResponse(
                "It waits for its turn", QueuedSubmission, headers={"Location": "the same as `url`"}
            ),
            401: UNAUTHORIZED,
            408: DocumentedResponse("It came too slowly"),
            411: DocumentedResponse("How long it is was not said"),
            413: DocumentedResponse("It is too large"),
            429: DocumentedResponse(
                "Its owner has sent enough, or too many tokens were wrong", headers=RETRY
            ),
            507: DocumentedResponse(
                "The disk is nearly full, or the bots of its owner take up too much of it"
            ),
        },
    ),
    Operation(
        name="submission",
        method="GET",
        path="/api/submissions/{id}",
        summary="A submission, with everything it was told so far.",
        handler=get_submission,
        query_type=SubmissionQuery,
        responses={
            200: DocumentedResponse("The submission", SubmissionHistory),
            404: DocumentedResponse("There is no such submission"),
        },
    ),
    Operation(
        name="events",
        method="GET",
        path="/api/submissions/{id}/events",
        summary="The same as server-sent events: `said` for each thing, and `end` with the whole "
        "submission when nothing more comes.",
        handler=stream_events,
        query_type=SubmissionQuery,
        headers={"Last-Event-ID": "the id of the last event that was heard, to go on after it"},
        responses={
            200: DocumentedResponse(
                "What it is told, as it comes", ServerSentEvent, "text/event-stream"
            ),
            404: DocumentedResponse("There is no such submission"),
        },
    ),
)
