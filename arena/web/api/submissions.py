"""API: submit a bot, and follow the progress of a submission."""

import asyncio
import errno
from email.message import Message
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.ladder.disk_quota import DiskQuotaExceeded
from arena.ladder.models import Submission, SubmissionMessage
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.submissions.intake import (
    MAX_FILE_NAME,
    MAX_MESSAGE,
    IncomingSubmission,
    Intake,
    TooManySubmissions,
    UploadTooLarge,
)
from arena.ladder.submissions.worker import lock_submission
from arena.web.api.context import RETRY_SECONDS, ApiContext, busy_error, unreadable_error
from arena.web.api.routing import (
    COMPONENT_REFERENCE,
    RETRY_AFTER_HEADER,
    WRONG_TOKEN_RESPONSE,
    DocumentedResponse,
    Operation,
    json_response,
)
from arena.web.api_errors import ApiError, retry_later_error
from arena.web.limits import LimitReached
from arena.web.submission_events import SubmissionHistory
from arena.web.uploads import check_length, receive_parts

MAX_UPLOADS = 8
"""Uploads at the same time."""
QUOTA_RETRY_SECONDS: Final = 3600
"""Seconds after which an owner with too many submissions may try again."""


class SubmitQuery(Struct, frozen=True):
    """The name, message and file name of a submitted bot."""

    name: Annotated[
        str,
        Meta(
            pattern="^([A-Za-z0-9][A-Za-z0-9._-]{0,31})?$",
            max_length=32,
            description="the name of the bot; by default the one that it gives itself",
        ),
    ] = ""
    message: Annotated[
        str, Meta(max_length=MAX_MESSAGE, description="what is new, in one line")
    ] = ""
    file: Annotated[
        str,
        Meta(
            max_length=MAX_FILE_NAME,
            description="the file name, unless Content-Disposition has it",
        ),
    ] = ""


class SubmissionQuery(Struct, frozen=True):
    """The submission to return."""

    id: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]{22}$",
            max_length=22,
            description="the id from the response to the upload; it gives access to all messages",
        ),
    ]


class QueuedSubmission(Struct, frozen=True, kw_only=True):
    """A new submission, which waits to be processed."""

    id: str
    url: str
    """The path of the submission with its messages."""
    events: str
    """The path of the same as server-sent events."""


class ServerSentEvent(Struct, frozen=True, kw_only=True):
    """A server-sent event: a message, the start of a repetition, or the end."""

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
                        {"$ref": COMPONENT_REFERENCE.format(name=SubmissionMessage.__name__)},
                        {"$ref": COMPONENT_REFERENCE.format(name=SubmissionHistory.__name__)},
                    ]
                },
            }
        ),
    ] = ""
    """A message, or at the end the whole submission."""


async def submit(context: ApiContext, request: Request, query: SubmitQuery) -> Response:
    """Receive an upload and queue it as a submission."""
    owner = await context.authenticate(request)
    if owner in context.uploading_owners:
        raise retry_later_error(
            429, f"another upload of {owner} is in progress; wait until it ends", RETRY_SECONDS
        )
    if len(context.uploading_owners) >= MAX_UPLOADS:
        raise retry_later_error(503, "too many uploads are in progress; try again", RETRY_SECONDS)
    context.uploading_owners.add(owner)
    try:
        submission = await receive_upload(context, request, owner, query)
    finally:
        context.uploading_owners.discard(owner)
    context.queue.wake()
    url = f"{request.scope['root_path']}/api/submissions/{submission.id}"
    answer = QueuedSubmission(id=submission.id, url=url, events=f"{url}/events")
    return json_response(answer, 202, {"location": url})


async def receive_upload(
    context: ApiContext, request: Request, owner: str, query: SubmitQuery
) -> Submission:
    """Store an upload in the ladder; an incomplete one is removed."""
    file = query.file or header_file_name(request)
    if not file:
        raise ApiError(422, "the file name is missing; add file=my-bot.zip")
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
    except UploadTooLarge as error:
        raise ApiError(413, str(error)) from error
    except TooManySubmissions as error:
        raise retry_later_error(429, str(error), QUOTA_RETRY_SECONDS) from error
    except DiskQuotaExceeded as error:
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
    """Finish an upload and queue its submission."""
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
    """Return a submission with its messages so far."""
    try:
        history = await context.feed.history(query.id)
    except LimitReached:
        raise busy_error() from None
    except ArenaError as error:
        raise unreadable_error(error) from error
    if history is None:
        raise ApiError(404, "there is no such submission")
    return history


async def stream_events(context: ApiContext, request: Request, query: SubmissionQuery) -> Response:
    """Return the messages of a submission as a stream of events."""
    first = await get_submission(context, request, query)
    last_event_id = request.headers.get("last-event-id", "")
    try:
        return context.listeners.event_stream(request, context.feed.events(first, last_event_id))
    except LimitReached:
        raise retry_later_error(
            503, "too many clients listen to events; try again", RETRY_SECONDS
        ) from None


OPERATIONS = (
    Operation(
        name="submit",
        method="POST",
        path="/api/bots",
        summary="Submit a bot: a script, or an archive of its folder. Its messages can be read by "
        "the id of the submission.",
        handler=submit,
        query_type=SubmitQuery,
        headers={
            "Content-Disposition": 'the file name, such as `attachment; filename="my-bot.zip"`'
        },
        body="the file itself: a script, zip, tar, tar.gz, tar.bz2 or tar.xz",
        needs_token=True,
        responses={
            202: DocumentedResponse(
                "It was queued", QueuedSubmission, headers={"Location": "the same as `url`"}
            ),
            401: WRONG_TOKEN_RESPONSE,
            408: DocumentedResponse("The upload was too slow"),
            411: DocumentedResponse("The header Content-Length is missing"),
            413: DocumentedResponse("It is too large"),
            429: DocumentedResponse(
                "Its owner has sent enough, or too many tokens were wrong",
                headers=RETRY_AFTER_HEADER,
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
        summary="A submission with its messages so far.",
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
        summary="The same as server-sent events: `said` for each message, and `end` with the whole "
        "submission after the last one.",
        handler=stream_events,
        query_type=SubmissionQuery,
        headers={
            "Last-Event-ID": "the id of the last event received; the stream continues after it"
        },
        responses={
            200: DocumentedResponse(
                "The messages, as they are written", ServerSentEvent, "text/event-stream"
            ),
            404: DocumentedResponse("There is no such submission"),
        },
    ),
)
