"""The filter, read as the kernel reads it: which call gets which answer."""

import errno
import struct

import pytest

from arena.bots.sandbox.seccomp import (
    AF_UNIX,
    ALLOW,
    ARCHITECTURES,
    CLONE,
    DENIED_CALLS,
    ERRNO,
    FCNTL,
    FUTEX,
    IGNORED_CALLS,
    IOCTL,
    MADVISE,
    MMAP,
    NETWORK_FAMILIES,
    NEWEST_CALL,
    PRCTL,
    PREADV2,
    PWRITEV2,
    SETSOCKOPT,
    SOCKET,
    UNCOUNTED_MEMORY_CALLS,
    UNSUPPORTED_CALLS,
    CallNumbers,
    build_filter,
)

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
LONGEST = 4096
"""Instructions that the kernel takes."""

ALLOWED, IGNORE = -1, 0
"""The call is carried out; it is answered with success without being carried out."""


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
    filtered = build_filter(machine, counts_memory=counted)
    refused = {numbers[column]: errno.EPERM for numbers in DENIED_CALLS.values()}
    refused |= {numbers[column]: errno.ENOSYS for numbers in UNSUPPORTED_CALLS.values()}
    refused |= {numbers[column]: 0 for numbers in IGNORED_CALLS.values()}
    refused |= dict.fromkeys(range(NEWEST_CALL + 1, 600), errno.ENOSYS)
    if not counted:
        refused |= {numbers[column]: errno.EPERM for numbers in UNCOUNTED_MEMORY_CALLS.values()}
    by_argument = (SOCKET, CLONE, IOCTL, FCNTL, MADVISE, PRCTL, PREADV2, PWRITEV2)
    asked = {numbers[column] for numbers in by_argument}
    for number in set(range(600)) - asked:
        expected = ERRNO | refused[number] if number in refused else ALLOW
        assert answer(filtered, architecture, number) == expected, number


@pytest.mark.parametrize(
    ("call", "arguments", "error"),
    [
        (SOCKET, (1,), ALLOWED),
        (SOCKET, (2,), errno.EAFNOSUPPORT),
        (SOCKET, (40,), errno.EAFNOSUPPORT),
        (CLONE, (0x003D0F00,), ALLOWED),
        (CLONE, (17,), ALLOWED),
        (CLONE, (0x10000000 | 17,), errno.EPERM),
        (CLONE, (0x00020000 | 17,), errno.EPERM),
        (IOCTL, (0, 0x5401), ALLOWED),
        (IOCTL, (0, 0x5412), errno.EPERM),
        (IOCTL, (0, 0x541C), errno.EPERM),
        (IOCTL, (0, 0xFFFFFFFF00005412), errno.EPERM),
        (IOCTL, (0, 0xC020660B), errno.EOPNOTSUPP),  # FIEMAP
        (FCNTL, (0, 0), ALLOWED),  # F_DUPFD
        (FCNTL, (0, 4), ALLOWED),  # F_SETFL
        (FCNTL, (0, 1031), ALLOWED),  # F_SETPIPE_SZ
        *((FCNTL, (0, command), IGNORE) for command in (6, 7, 37, 38)),  # locks
        *((FCNTL, (0, command), errno.EINVAL) for command in (5, 36)),  # who holds them
        *((FCNTL, (0, command), errno.EINVAL) for command in (1024, 1025, 1026, 1036, 1038)),
        (MADVISE, (0, 0, 4), ALLOWED),  # MADV_DONTNEED
        (MADVISE, (0, 0, 14), ALLOWED),  # MADV_HUGEPAGE
        *((MADVISE, (0, 0, advice), IGNORE) for advice in (1, 2, 3, 20)),
        *((MADVISE, (0, 0, advice), errno.EINVAL) for advice in (12, 21, 22, 25)),
        (PRCTL, (15,), ALLOWED),  # PR_SET_NAME
        (PRCTL, (67,), errno.EINVAL),  # PR_SET_MEMORY_MERGE
        (PREADV2, (0, 0, 1, 0, 0, 0), ALLOWED),
        (PREADV2, (0, 0, 1, 0, 0, 8), errno.EOPNOTSUPP),  # RWF_NOWAIT
        (PWRITEV2, (0, 0, 1, 0, 0, 4), errno.EOPNOTSUPP),  # RWF_SYNC
    ],
)
def test_some_calls_depend_on_their_arguments(
    machine: str, call: CallNumbers, arguments: tuple[int, ...], error: int
) -> None:
    column, architecture = ARCHITECTURES[machine]
    number = call[column]
    assert number is not None
    found = answer(build_filter(machine, counts_memory=True), architecture, number, *arguments)
    assert found == (ALLOW if error == ALLOWED else ERRNO | error)


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
def test_calls_for_uncounted_memory_need_a_cgroup(
    machine: str, call: tuple[int, int], arguments: tuple[int, ...], expected: int
) -> None:
    """Where a cgroup counts it, all of it is allowed."""
    column, architecture = ARCHITECTURES[machine]
    for counted, wanted in ((False, expected), (True, ALLOW)):
        filtered = build_filter(machine, counts_memory=counted)
        assert answer(filtered, architecture, call[column], *arguments) == wanted


@pytest.mark.parametrize("family", range(50))
def test_network_sockets_need_network_permission(machine: str, family: int) -> None:
    column, architecture = ARCHITECTURES[machine]
    for network, allowed in ((False, {AF_UNIX}), (True, {AF_UNIX, *NETWORK_FAMILIES})):
        filtered = build_filter(machine, counts_memory=True, has_network=network)
        socket, clone = SOCKET[column], CLONE[column]
        assert socket is not None
        assert clone is not None
        found = answer(filtered, architecture, socket, family)
        assert found == (ALLOW if family in allowed else ERRNO | errno.EAFNOSUPPORT)
        assert answer(filtered, architecture, clone, 17) == ALLOW


def test_processes_can_be_kept_from_waking_each_other(machine: str) -> None:
    column, architecture = ARCHITECTURES[machine]
    number = FUTEX[column]
    assert number is not None
    plain, apart = (
        build_filter(machine, counts_memory=True, isolates_futexes=apart) for apart in (False, True)
    )
    waits, wakes, private = (0, 9, 9 | 256), (1, 3, 4, 5, 10), 128
    for order in (*waits, *wakes, *(order | private for order in (*waits, *wakes))):
        assert answer(plain, architecture, number, 0, order) == ALLOW
        expected = ERRNO | errno.EPERM if order in wakes else ALLOW
        assert answer(apart, architecture, number, 0, order) == expected
    assert answer(apart, architecture, 454) == ERRNO | errno.ENOSYS


def test_another_architecture_has_no_calls_at_all(machine: str) -> None:
    filtered = build_filter(machine, counts_memory=True)
    assert answer(filtered, 0x40000003, 1) == ERRNO | errno.ENOSYS


def test_x32_calls_are_unknown() -> None:
    _, architecture = ARCHITECTURES["x86_64"]
    filtered = build_filter("x86_64", counts_memory=True)
    assert answer(filtered, architecture, 0x40000000 | 1) == ERRNO | errno.ENOSYS
