"""However much a bot writes, its beginning and its end are kept."""

from random import Random

import pytest

from arena.bots.process import KEPT_STDERR_BYTES, CapturedStderr


def capture_stderr(data: bytes, chance: Random) -> CapturedStderr:
    """It comes in pieces."""
    found = CapturedStderr()
    while data:
        size = chance.choice([1, 10, 1000, 65536])
        found.add(data[:size])
        data = data[size:]
    return found


@pytest.mark.parametrize(
    "size", [0, 1, KEPT_STDERR_BYTES, KEPT_STDERR_BYTES + 1, 2 * KEPT_STDERR_BYTES]
)
def test_short_stderr_is_kept_completely(size: int) -> None:
    data = Random(size).choices(b"abcdefgh\n", k=size)
    assert capture_stderr(bytes(data), Random(1)).text() == bytes(data).decode()


@pytest.mark.parametrize("size", [2 * KEPT_STDERR_BYTES + 1, 3 * KEPT_STDERR_BYTES, 1_000_000])
def test_long_stderr_is_cut(size: int) -> None:
    data = bytes(Random(size).choices(b"abcdefgh\n", k=size)).decode()
    found = capture_stderr(data.encode(), Random(2))
    cut = f"\n[... {size - 2 * KEPT_STDERR_BYTES} bytes ...]\n"
    assert found.text() == data[:KEPT_STDERR_BYTES] + cut + data[-KEPT_STDERR_BYTES:]
    assert found.tail(2000) == data[-2000:]
    assert len(found.first) + len(found.last) == 2 * KEPT_STDERR_BYTES


def test_stderr_that_is_not_utf_8() -> None:
    found = capture_stderr(b"a\xffb\xe2\x82", Random(3))
    assert found.text() == "a\ufffdb\ufffd"
    assert found.tail(2) == "\ufffd"


def test_a_short_tail() -> None:
    assert capture_stderr(b"short", Random(4)).tail(2000) == "short"
    assert CapturedStderr().tail(10) == CapturedStderr().text() == ""
