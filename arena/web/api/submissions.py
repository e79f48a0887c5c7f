"""Submissions: bots that are sent, and what they are told."""

import asyncio
import errno
from email.message import Message
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.ladder.clerk import held
from arena.ladder.facts import Submission
from arena.ladder.intake import LONGEST_FILE, LONGEST_MESSAGE, Incoming, Intake, TooLarge, TooMany
from arena.ladder.quota import NoRoom
from arena.ladder.registry import BadSubmission, Registry
from arena.web.api.desk import SOON, Desk, crowded, unreadable
from arena.web.api.failures import Failure, later
from arena.web.api.operations import Answer, Operation, told
from arena.web.conversations import Conversation
from arena.web.places import Busy
from arena.web.receiving import check, parts

AT_ONCE = 8
"""Uploads at the same time, of everybody together."""
DAY: Final = 3600
"""Seconds after which whoever has sent too much in a day may try again."""


class Sent(Struct, frozen=True):
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
        str, Meta(max_length=LONGEST_MESSAGE, description="what is new, in one line")
    ] = ""
    file: Annotated[
        str,
        Meta(
            max_length=LONGEST_FILE,
            description="what the file is called, unless Content-Disposition says it",
        ),
    ] = ""


class Known(Struct, frozen=True):
    """Which submission is wanted."""

    id: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]{22}$",
            max_length=22,
            description="what was answered when it was sent; whoever knows it may read all of it",
        ),
    ]


class Taken(Struct, frozen=True, kw_only=True):
    """A submission that waits for its turn."""

    id: str
    url: str
    """Where all that it is told is read."""
    events: str
    """Where that is heard as it comes."""


class Event(Struct, frozen=True, kw_only=True):
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
                        {"$ref": "#/components/schemas/Said"},
                        {"$ref": "#/components/schemas/Conversation"},
                    ]
                },
            }
        ),
    ] = ""
    """What is said, or at the end the whole submission."""


async def submit(desk: Desk, request: Request, asked: Sent) -> Response:
    """Take a bot."""
    owner = await desk.owner(request)
    if owner in desk.sending:
        raise later(429, f"{owner} is sending something already; wait until it is there", SOON)
    if len(desk.sending) >= AT_ONCE:
        raise later(503, "too many are sending something just now; try again", SOON)
    desk.sending.add(owner)
    try:
        taken = await receive(desk, request, owner, asked)
    finally:
        desk.sending.discard(owner)
    desk.turns.wake()
    url = f"{request.scope['root_path']}/api/submissions/{taken.id}"
    answer = Taken(id=taken.id, url=url, events=f"{url}/events")
    return told(answer, 202, {"location": url})


async def receive(desk: Desk, request: Request, owner: str, asked: Sent) -> Submission:
    """Write down what is sent; nothing of it stays unless it came as a whole."""
    file = asked.file or named(request)
    if not file:
        raise Failure(422, "what the file is called was not said; add file=my-bot.zip")
    try:
        intake = await asyncio.to_thread(Intake, desk.folder)
        most = intake.allowed.size << 20
        check(request, most)
        incoming = await asyncio.to_thread(begin, desk, intake, owner, file, asked)
        with held(incoming.place):  # else somebody who tidies up would take it for left behind
            try:
                async for part in parts(request, most):
                    await asyncio.to_thread(incoming.write, part)
            except BaseException:
                incoming.drop()
                raise
            return await asyncio.shield(asyncio.to_thread(finish, desk, incoming))
    except TooLarge as error:
        raise Failure(413, str(error)) from error
    except TooMany as error:
        raise later(429, str(error), DAY) from error
    except NoRoom as error:
        raise Failure(507, str(error)) from error
    except BadSubmission as error:
        raise Failure(422, str(error)) from error
    except (ArenaError, OSError) as error:
        if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT}:
            raise Failure(507, "the disk of the ladder is full; send it later") from error
        raise unreadable(error) from error


def begin(desk: Desk, intake: Intake, owner: str, file: str, asked: Sent) -> Incoming:
    """Begin to write down what is sent, if its owner may send it now."""
    with Registry.open(desk.folder) as registry:
        waiting = len(registry.submissions("waiting"))
        if waiting >= intake.allowed.waiting:
            raise later(503, f"{waiting} submissions wait already; send it later", DAY)
        return intake.open(registry, owner, file, asked.name, asked.message)


def finish(desk: Desk, incoming: Incoming) -> Submission:
    """All is there: from now on it waits."""
    try:
        with Registry.open(desk.folder) as registry:
            return incoming.done(registry)
    except BaseException:
        incoming.drop()
        raise


def named(request: Request) -> str:
    """What the file is called by a header, as browsers and curl say it."""
    header = Message()
    header["content-disposition"] = request.headers.get("content-disposition", "")
    return header.get_filename("")


async def submission(desk: Desk, _: Request, asked: Known) -> Conversation:
    """A submission with everything it was told so far."""
    try:
        found = await desk.conversations.now(asked.id)
    except Busy:
        raise crowded() from None
    except ArenaError as error:
        raise unreadable(error) from error
    if found is None:
        raise Failure(404, "there is no such submission")
    return found


async def events(desk: Desk, request: Request, asked: Known) -> Response:
    """What a submission is told, as it comes."""
    first = await submission(desk, request, asked)
    heard = request.headers.get("last-event-id", "")
    try:
        return desk.listeners.events(request, desk.conversations.events(first, heard))
    except Busy:
        raise later(503, "too many listen just now; try again", SOON) from None


RETRY: Final = {"Retry-After": "seconds after which to try again"}
OPERATIONS = (
    Operation(
        name="submit",
        method="POST",
        path="/api/bots",
        says="Send a bot: a script, or an archive of its folder. It waits for its turn; what it "
        "is told then is read by its id.",
        handle=submit,
        asked=Sent,
        headers={
            "Content-Disposition": "what the file is called, such as `attachment; "
            'filename="my-bot.zip"`'
        },
        body="the file itself: a script, zip, tar, tar.gz, tar.bz2 or tar.xz",
        secret=True,
        answers={
            202: Answer("It waits for its turn", Taken, headers={"Location": "the same as `url`"}),
            401: Answer(
                "The token is missing or not known",
                headers={"WWW-Authenticate": "says that a bearer token is wanted"},
            ),
            408: Answer("It came too slowly"),
            411: Answer("How long it is was not said"),
            413: Answer("It is too large"),
            429: Answer("Its owner has sent enough, or too many tokens were wrong", headers=RETRY),
            507: Answer("The disk is nearly full, or the bots of its owner take up too much of it"),
        },
    ),
    Operation(
        name="submission",
        method="GET",
        path="/api/submissions/{id}",
        says="A submission, with everything it was told so far.",
        handle=submission,
        asked=Known,
        answers={
            200: Answer("The submission", Conversation),
            404: Answer("There is no such submission"),
        },
    ),
    Operation(
        name="events",
        method="GET",
        path="/api/submissions/{id}/events",
        says="The same as server-sent events: `said` for each thing, and `end` with the whole "
        "submission when nothing more comes.",
        handle=events,
        asked=Known,
        headers={"Last-Event-ID": "the id of the last event that was heard, to go on after it"},
        answers={
            200: Answer("What it is told, as it comes", Event, "text/event-stream"),
            404: Answer("There is no such submission"),
        },
    ),
)
