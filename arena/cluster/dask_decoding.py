"""Keep Dask from unpickling anything that a scheduler or a worker sends to this process.

Dask's client unpickles results, their types, exceptions and warnings, and its messages may hold
pickles anywhere. Unpickling runs code that the sender chooses. So the coordinator replaces the
function by which Dask decodes messages: MessagePack is read, and everything else becomes a text.
"""

from collections.abc import Sequence
from typing import Any, Final, NoReturn

import msgpack
from distributed import client, protocol
from distributed.comm import CommClosedError, tcp
from distributed.comm.utils import from_frames
from distributed.protocol import pickle
from distributed.protocol.serialize import msgpack_decode_default

from arena.cluster.messages import MAX_MESSAGE_BYTES
from arena.errors import ArenaError

UNREAD_TEXT: Final = "something that would have to be unpickled, and was not read"
"""Replaces pickled data; Dask takes a text for the text of an exception."""

DASK_READ_BYTES = tcp.read_bytes_rw
DASK_UNPACK_FRAMES = tcp.unpack_frames


class MessageTooLarge(CommClosedError):  # type: ignore[misc]  # Dask has no types
    """A message that is larger than an honest one can be; the connection is closed."""


def forbid_unpickling() -> None:
    """Keep Dask from unpickling and from reading endless messages in this process from now on.

    This affects the whole process, since Dask has no such setting for one client. A protected
    process cannot be a Dask worker.
    """
    protocol.loads = decode_message
    pickle.loads = client.loads = refuse_pickle
    client.Client._default_event_handlers = {}  # they print and unpickle what workers send
    tcp.read_bytes_rw = read_bytes
    tcp.unpack_frames = unpack_frames
    if not is_unpickling_forbidden():
        raise ArenaError("this release of Dask unpickles messages in an unknown way")


class PickleProbe:
    """Becomes True when it is unpickled."""

    def __reduce__(self) -> tuple[type[bool], tuple[int]]:
        return bool, (1,)


def is_unpickling_forbidden() -> bool:
    """Whether pickles in messages of Dask are left unread, in both forms that Dask sends."""
    message = [protocol.to_serialize(PickleProbe()), protocol.ToPickle(PickleProbe())]
    reading = from_frames(protocol.dumps(message), allow_offload=False)
    try:
        reading.send(None)
    except StopIteration as read:
        return bool(read.value == (UNREAD_TEXT, UNREAD_TEXT))
    except Exception:  # it is decoded in another way
        return False
    return False


def decode_message(frames: Sequence[bytes | memoryview], **_: object) -> Any:
    """Decode a message of Dask; parts that are not plain MessagePack are replaced by a text."""

    def hook(found: dict[Any, Any]) -> Any:
        if "__Pickled__" in found:
            return UNREAD_TEXT
        if "__Serialized__" in found:
            return decode_value(frames, found["__Serialized__"])
        return msgpack_decode_default(found)

    try:
        return msgpack.unpackb(frames[0], object_hook=hook, use_list=False, strict_map_key=False)
    except Exception as error:
        raise EOFError(
            f"a message cannot be read: {error}"
        ) from error  # on which Dask closes the connection


def decode_value(frames: Sequence[bytes | memoryview], place: object) -> Any:
    """Decode a value that is in frames of its own, if it is plain MessagePack."""
    if type(place) is not int or not 0 < place < len(frames):
        return UNREAD_TEXT
    header = msgpack.unpackb(frames[place], use_list=False, strict_map_key=False)
    if header.get("serializer") != "msgpack" or any(header.get("compression") or ()):
        return UNREAD_TEXT
    parts = frames[place + 1 : place + 1 + header["num-sub-frames"]]
    return msgpack.unpackb(b"".join(parts), use_list=False, strict_map_key=False)


def refuse_pickle(*_: object, **__: object) -> NoReturn:
    """Raise an error, in place of all other functions by which Dask's client unpickles."""
    raise TypeError(UNREAD_TEXT)


async def read_bytes(stream: Any, count: int) -> Any:
    """Read so many bytes of a message, unless they are too many."""
    if count > MAX_MESSAGE_BYTES:
        raise MessageTooLarge(f"a message of {count} bytes is too large")
    return await DASK_READ_BYTES(stream, count)


def unpack_frames(begun: Any, *, partial: bool = False) -> Any:
    """Read the lengths of the frames of a message, unless they are too many bytes in all."""
    found = DASK_UNPACK_FRAMES(begun, partial=partial)
    if partial and sum(found[1]) > MAX_MESSAGE_BYTES:
        raise MessageTooLarge(f"a message of {sum(found[1])} bytes is too large")
    return found
