"""A coordinator reads no pickle, wherever in a message of Dask's it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SETUP = """
import asyncio, json, os, pickle, sys, traceback
from pathlib import Path
import msgpack
from distributed import client, core, protocol
from distributed.comm import CommClosedError, tcp
from distributed.comm.utils import from_frames
from distributed.protocol.serialize import Serialized, ToPickle, to_serialize
from arena.cluster import dask_decoding
from arena.cluster.dask_decoding import UNREAD_TEXT, forbid_unpickling

CASES = json.loads(sys.argv[2])

class Bomb(Exception):
    def __reduce__(self):
        return Path.touch, (OWNED,)

def read(message, **options):
    frames = list(protocol.dumps(message, **options))
    return asyncio.run(from_frames([bytes(one) for one in frames]))

"""
"""What all cases use."""
CASES = {
    "pickled": "assert read({'x': [ToPickle(Bomb())]}) == {'x': (UNREAD_TEXT,)}",
    "serialized": "assert read({'x': to_serialize(Bomb())}) == {'x': UNREAD_TEXT}",
    "a type": "assert read([to_serialize(b'bytes')]) == (UNREAD_TEXT,)",
    "a forged type": (
        "header = {'serializer': 'dask', 'type-serialized': BOMB, 'frame-lengths': [1]}\n"
        "assert read([Serialized(header, [b'x'])]) == (UNREAD_TEXT,)"
    ),
    "within a message": (
        "data = [{'serializer': 'pickle'}, [BOMB]]\n"
        "found = read({'x': {'__Serialized__': True, 'data': data}})\n"
        "assert found == {'x': UNREAD_TEXT}"
    ),
    "no serializer": "assert read([Serialized({}, [BOMB])]) == (UNREAD_TEXT,)",
    "compressed": (
        "header = {'serializer': 'msgpack', 'compression': ['zlib']}\n"
        "assert read([Serialized(header, [b'x'])]) == (UNREAD_TEXT,)"
    ),
    "an exception": (
        "assert core.clean_exception(BOMB, BOMB)[1].args == (BOMB,)\n"
        "assert str(core.clean_exception(UNREAD_TEXT, UNREAD_TEXT)[1]) == UNREAD_TEXT"
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


UNKNOWN_RELEASE = """
kept = protocol.loads
async def other(frames, **_):
    return kept(frames)
dask_decoding.from_frames = other
try:
    forbid_unpickling()
except Exception as error:
    assert 'this release of Dask' in str(error), error
else:
    raise AssertionError
"""

RUN = """
for name, code in CASES.items():
    OWNED = Path(sys.argv[1], name)
    BOMB = pickle.dumps(Bomb())
    child = os.fork()
    if not child:
        try:
            exec(code)
            Path(sys.argv[1], name + " passed").touch()
        except BaseException:
            Path(sys.argv[1], name + " failed").write_text(traceback.format_exc())
        os._exit(0)
    os.waitpid(child, 0)
"""
"""Run each case in a process of its own, since a coordinator protects a whole process."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what came of all cases. Dask is imported once, which takes longest."""
    folder = tmp_path_factory.mktemp("decoding")
    cases = {name: f"forbid_unpickling()\n{code}" for name, code in CASES.items()}
    words = str(folder), json.dumps({**cases, "unknown release": UNKNOWN_RELEASE})
    subprocess.run([sys.executable, "-c", SETUP + RUN, *words], check=True)
    return folder


def check(results: Path, case: str) -> None:
    """Check that a case has ended well."""
    failed = results / f"{case} failed"
    assert not failed.exists(), failed.read_text()
    assert (results / f"{case} passed").exists()


@pytest.mark.parametrize("case", CASES)
def test_messages(results: Path, case: str) -> None:
    assert not (results / case).exists(), "somebody else's code has run"
    check(results, case)


def test_a_release_of_dask_that_is_not_known(results: Path) -> None:
    """What is not read by the function that was replaced is found out before anybody connects."""
    check(results, "unknown release")
