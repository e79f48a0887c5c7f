"""The filter, read as the kernel reads it: which call gets which answer."""

import errno
import struct

import pytest

from arena.bots.sandbox.seccomp import (
    AF_UNIX,
    ALLOW,
    ARCHITECTURES,
    ERRNO,
    NETWORKS,
    program,
)
from arena.bots.sandbox.syscalls import (
    CLONE,
    IOCTL,
    MISSING,
    MMAP,
    REFUSED,
    SETSOCKOPT,
    SOCKET,
    UNCOUNTED,
)

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
LONGEST = 4096
"""Instructions that the kernel takes."""


def answer(filtered: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel would do with a call."""
    call = struct.pack("II Q", number, architecture, 0)
    call += b"".join(struct.pack("Q", each) for each in (*arguments, *[0] * 6)[:6])
    code = list(struct.iter_unpack("HBBI", filtered))
    assert len(code) <= LONGEST
    held, at = 0, 0
    while True:
        what, then, otherwise, value = code[at]
        at += 1
        match what:
            case 0x20:
                (held,) = struct.unpack_from("I", call, value)
            case 0x15:
                at += then if held == value else otherwise
            case 0x35:
                at += then if held >= value else otherwise
            case 0x45:
                at += then if held & value else otherwise
            case _:
                assert what == RETURN
                return int(value)


@pytest.fixture(params=list(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("counted", [True, False])
def test_each_call_gets_its_answer(machine: str, counted: bool) -> None:
    column, architecture = ARCHITECTURES[machine]
    filtered = program(machine, counted=counted)
    refused = {numbers[column]: errno.EPERM for numbers in REFUSED.values()}
    refused |= {numbers[column]: errno.ENOSYS for numbers in MISSING.values()}
    if not counted:
        refused |= {numbers[column]: errno.EPERM for numbers in UNCOUNTED.values()}
    asked = {SOCKET[column], CLONE[column], IOCTL[column]}
    for number in set(range(600)) - asked:
        expected = ERRNO | refused[number] if number in refused else ALLOW
        assert answer(filtered, architecture, number) == expected, number


@pytest.mark.parametrize(
    ("call", "arguments", "why"),
    [
        (SOCKET, (1,), 0),
        (SOCKET, (2,), errno.EAFNOSUPPORT),
        (SOCKET, (40,), errno.EAFNOSUPPORT),
        (CLONE, (0x003D0F00,), 0),
        (CLONE, (17,), 0),
        (CLONE, (0x10000000 | 17,), errno.EPERM),
        (CLONE, (0x00020000 | 17,), errno.EPERM),
        (IOCTL, (0, 0x5401), 0),
        (IOCTL, (0, 0x5412), errno.EPERM),
        (IOCTL, (0, 0x541C), errno.EPERM),
        (IOCTL, (0, 0xFFFFFFFF00005412), errno.EPERM),
    ],
)
def test_some_calls_depend_on_what_they_ask(
    machine: str, call: tuple[int, int], arguments: tuple[int, ...], why: int
) -> None:
    column, architecture = ARCHITECTURES[machine]
    found = answer(program(machine, counted=True), architecture, call[column], *arguments)
    assert found == (ERRNO | why if why else ALLOW)


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        (MMAP, (0, 4096, 3, 0x21), ERRNO | errno.ENOMEM),
        (MMAP, (0, 4096, 3, 0x22), ALLOW),
        (MMAP, (0, 4096, 3, 0x01), ALLOW),
        (MMAP, (0, 4096, 3, 0x4021), ERRNO | errno.ENOMEM),
        (SETSOCKOPT, (3, 1, 7), ERRNO),
        (SETSOCKOPT, (3, 1, 8), ALLOW),
        (SETSOCKOPT, (3, 6, 7), ALLOW),
    ],
)
def test_memory_that_nobody_counts(
    machine: str, call: tuple[int, int], arguments: tuple[int, ...], expected: int
) -> None:
    """Where a cgroup counts it, all of it is allowed."""
    column, architecture = ARCHITECTURES[machine]
    for counted, wanted in ((False, expected), (True, ALLOW)):
        filtered = program(machine, counted=counted)
        assert answer(filtered, architecture, call[column], *arguments) == wanted


@pytest.mark.parametrize("family", range(50))
def test_sockets_of_the_network_are_for_those_who_may_use_it(machine: str, family: int) -> None:
    column, architecture = ARCHITECTURES[machine]
    for network, allowed in ((False, {AF_UNIX}), (True, {AF_UNIX, *NETWORKS})):
        filtered = program(machine, counted=True, network=network)
        found = answer(filtered, architecture, SOCKET[column], family)
        assert found == (ALLOW if family in allowed else ERRNO | errno.EAFNOSUPPORT)
        assert answer(filtered, architecture, CLONE[column], 17) == ALLOW


def test_another_architecture_has_no_calls_at_all(machine: str) -> None:
    filtered = program(machine, counted=True)
    assert answer(filtered, 0x40000003, 1) == ERRNO | errno.ENOSYS


def test_calls_of_x32_are_none() -> None:
    _, architecture = ARCHITECTURES["x86_64"]
    filtered = program("x86_64", counted=True)
    assert answer(filtered, architecture, 0x40000000 | 1) == ERRNO | errno.ENOSYS
