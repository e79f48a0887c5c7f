"""A coordinator reads no pickle, wherever in a message of Dask's it is."""

import subprocess
import sys
from pathlib import Path

import pytest

SETUP = """
import asyncio, pickle, sys
from pathlib import Path
import msgpack
from distributed import client, core, protocol
from distributed.comm import CommClosedError, tcp
from distributed.comm.utils import from_frames
from distributed.protocol.serialize import Serialized, ToPickle, to_serialize
from arena.cluster import dask_decoding
from arena.cluster.dask_decoding import UNREAD, protect

OWNED = Path(sys.argv[1])

class Bomb(Exception):
    def __reduce__(self):
        return Path.touch, (OWNED,)

def read(message, **options):
    frames = list(protocol.dumps(message, **options))
    return asyncio.run(from_frames([bytes(one) for one in frames]))

BOMB = pickle.dumps(Bomb())
protect()
"""
CASES = {
    "pickled": "assert read({'x': [ToPickle(Bomb())]}) == {'x': (UNREAD,)}",
    "serialized": "assert read({'x': to_serialize(Bomb())}) == {'x': UNREAD}",
    "a type": "assert read([to_serialize(b'bytes')]) == (UNREAD,)",
    "a forged type": (
        "header = {'serializer': 'dask', 'type-serialized': BOMB, 'frame-lengths': [1]}\n"
        "assert read([Serialized(header, [b'x'])]) == (UNREAD,)"
    ),
    "within a message": (
        "data = [{'serializer': 'pickle'}, [BOMB]]\n"
        "found = read({'x': {'__Serialized__': True, 'data': data}})\n"
        "assert found == {'x': UNREAD}"
    ),
    "no serializer": "assert read([Serialized({}, [BOMB])]) == (UNREAD,)",
    "compressed": (
        "header = {'serializer': 'msgpack', 'compression': ['zlib']}\n"
        "assert read([Serialized(header, [b'x'])]) == (UNREAD,)"
    ),
    "an exception": (
        "assert core.clean_exception(BOMB, BOMB)[1].args == (BOMB,)\n"
        "assert str(core.clean_exception(UNREAD, UNREAD)[1]) == UNREAD"
    ),
    "the type of a result": (
        "try:\n    client.loads(BOMB)\nexcept TypeError:\n    pass\nelse:\n    raise AssertionError"
    ),
    "warnings": "assert not client.Client._default_event_handlers",
    "plain ones": (
        "sent = {'op': 'x', 'list': [1, 2.5, None], 'data': to_serialize(b'bytes')}\n"
        "found = read(sent, serializers=['msgpack'])\n"
        "assert found == {'op': 'x', 'list': (1, 2.5, None), 'data': b'bytes'}"
    ),
    "large plain ones": (
        "sent = [to_serialize(bytes(100_000_000))]\n"
        "assert read(sent, serializers=['msgpack']) == (bytes(100_000_000),)"
    ),
    "what is cut off": (
        "try:\n    asyncio.run(from_frames([b'\\x99']))\n"
        "except EOFError:\n    pass\n"
        "else:\n    raise AssertionError"
    ),
    "endless ones": (
        "try:\n    asyncio.run(tcp.read_bytes_rw(None, 1 << 40))\n"
        "except CommClosedError:\n    pass\n"
        "else:\n    raise AssertionError"
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_messages(tmp_path: Path, case: str) -> None:
    """In a process of its own, as it holds for the whole process."""
    owned = tmp_path / "owned"
    command = [sys.executable, "-c", SETUP + CASES[case], str(owned)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not owned.exists(), "somebody else's code has run"
    assert done.returncode == 0, done.stderr


def test_a_release_of_dask_that_is_not_known(tmp_path: Path) -> None:
    """What is not read by the function that was replaced is found out before anybody connects."""
    code = SETUP.removesuffix("protect()\n") + (
        "kept = protocol.loads\n"
        "async def other(frames, **_):\n    return kept(frames)\n"
        "dask_decoding.from_frames = other\n"
        "try:\n    protect()\n"
        "except Exception as error:\n    assert 'this release of Dask' in str(error), error\n"
        "else:\n    raise AssertionError\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "owned")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
