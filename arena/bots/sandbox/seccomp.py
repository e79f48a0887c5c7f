"""The seccomp filter for the system calls of bots, and the numbers of these calls."""

import errno
import struct
from dataclasses import dataclass
from typing import Final

CallNumbers = tuple[int | None, int | None]
"""The numbers of a call on x86_64 and on aarch64; None where it does not exist."""

DENIED_CALLS: Final[dict[str, CallNumbers]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # file systems and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # the kernel itself
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "personality": (135, 92),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
    # keys, which all of a user's processes share
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    # placement of memory and processes
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "memfd_secret": (447, 447),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "ioprio_set": (251, 30),
}
"""Fail with EPERM."""

UNSUPPORTED_CALLS: Final[dict[str, CallNumbers]] = {
    "clone3": (435, 435),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # report what others do with a file: two bots could signal each other through any shared file
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "inotify_rm_watch": (255, 28),
    # tell which pages of a file are in memory: a process could leave information for a later one
    "mincore": (27, 232),
    "cachestat": (451, 451),
    # newer than most programs, and of no use to a bot
    "statmount": (457, 457),
    "listmount": (458, 458),
    "lsm_get_self_attr": (459, 459),
    "lsm_set_self_attr": (460, 460),
    "lsm_list_modules": (461, 461),
}
"""Fail with ENOSYS, so that programs use older calls."""

NEWEST_CALL: Final = 462
"""The newest call that is known here (mseal); later ones fail with ENOSYS."""

IGNORED_CALLS: Final[dict[str, CallNumbers]] = {
    "flock": (73, 32),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
}
"""Return success without being carried out.

They lock a file, tell the kernel which of its pages to keep in memory, or write it to the disk. On
files that bots share this leaves a trace that another bot or a later process can find. Java, Go and
Maven need these calls to succeed, but not to have an effect: no other program writes to the files
of a bot.
"""

UNCOUNTED_MEMORY_CALLS: Final[dict[str, CallNumbers]] = {
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "vmsplice": (278, 75),
}
"""Allocate memory that only a cgroup counts."""

FUTEX2_CALLS: Final[dict[str, CallNumbers]] = {
    "futex_wake": (454, 454),
    "futex_wait": (455, 455),
    "futex_requeue": (456, 456),
}
"""Newer forms of futex, which no program depends on yet."""

CLONE: Final[CallNumbers] = (56, 220)
FCNTL: Final[CallNumbers] = (72, 25)
FUTEX: Final[CallNumbers] = (202, 98)
IOCTL: Final[CallNumbers] = (16, 29)
MADVISE: Final[CallNumbers] = (28, 233)
MMAP: Final[CallNumbers] = (9, 222)
PRCTL: Final[CallNumbers] = (157, 167)
PREADV2: Final[CallNumbers] = (327, 286)
PWRITEV2: Final[CallNumbers] = (328, 287)
SETSOCKOPT: Final[CallNumbers] = (54, 208)
SOCKET: Final[CallNumbers] = (41, 198)

ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of the call numbers, and the id of the architecture in the kernel."""

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_OFFSET, ARCHITECTURE_OFFSET, ARGUMENTS_OFFSET = 0, 4, 16
"""The offsets of the number, the architecture and the arguments of a call."""

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
X32 = 0x40000000
"""From this number on a call is one of x32, on x86_64."""

NAMESPACE_FLAGS = 0x7E020080
"""Flags of clone that create namespaces, including those of time, mounts and cgroups."""

TERMINAL_REQUESTS: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX insert characters into a terminal as if they were typed."""

EXTENT_REQUESTS: Final = (0xC020660B, 0xC0189436, 0x40049409, 0x4020940D)
"""FIEMAP, FIDEDUPERANGE, FICLONE, FICLONERANGE: reveal or share the disk blocks of a file."""

LOCK_COMMANDS: Final = (6, 7, 37, 38)
"""F_SETLK and F_SETLKW, and the same for open file descriptions."""

WATCH_COMMANDS: Final = (5, 36, 1024, 1025, 1026)
"""F_GETLK, F_OFD_GETLK, F_SETLEASE, F_GETLEASE, F_NOTIFY: report what others do with a file."""

HINT_COMMANDS: Final = (1035, 1036, 1037, 1038)
"""F_GET_RW_HINT to F_SET_FILE_RW_HINT: a value that the kernel stores with a file."""

IGNORED_PAGE_ADVICE: Final = (1, 2, 3, 20)
"""MADV_RANDOM, SEQUENTIAL, WILLNEED and COLD: advice on which pages of a file to keep in memory."""

FORBIDDEN_PAGE_ADVICE: Final = (12, 21, 22, 25)
"""MADV_MERGEABLE, PAGEOUT, POPULATE_READ and COLLAPSE: change pages that others may share."""

MERGE_OPTIONS: Final = (67,)
"""PR_SET_MEMORY_MERGE does the same as MADV_MERGEABLE for a whole process."""

SHARED_WAKE_OPERATIONS: Final = tuple(
    order | clock for order in (1, 3, 4, 5, 10) for clock in (0, 256)
)
"""FUTEX_WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP and WAKE_BITSET, without FUTEX_PRIVATE_FLAG."""

MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
"""Together: memory that is no longer visible once a process unmaps it from its page tables."""

SOL_SOCKET, SO_SNDBUF = 1, 7
"""The size of the send buffer of a socket."""

AF_UNIX = 1
NETWORK_FAMILIES = (2, 10, 16)
"""The families that the network needs: AF_INET, AF_INET6, and AF_NETLINK for name lookups."""


@dataclass(frozen=True)
class ArgumentRule:
    """The result of a call whose argument has one of these values."""

    call: CallNumbers
    argument: int
    values: tuple[int, ...]
    error: int
    """The error of the call; with 0 it returns success without being carried out."""


NO_SHARED_WAKES: Final = ArgumentRule(FUTEX, 1, SHARED_WAKE_OPERATIONS, errno.EPERM)
"""Forbids waking other processes: a futex on a file of the system is shared by all bots."""

ARGUMENT_RULES: Final = (
    ArgumentRule(IOCTL, 1, TERMINAL_REQUESTS, errno.EPERM),
    ArgumentRule(IOCTL, 1, EXTENT_REQUESTS, errno.EOPNOTSUPP),
    ArgumentRule(FCNTL, 1, LOCK_COMMANDS, 0),
    ArgumentRule(FCNTL, 1, (*WATCH_COMMANDS, *HINT_COMMANDS), errno.EINVAL),
    ArgumentRule(MADVISE, 2, IGNORED_PAGE_ADVICE, 0),
    ArgumentRule(MADVISE, 2, FORBIDDEN_PAGE_ADVICE, errno.EINVAL),
    ArgumentRule(PRCTL, 0, MERGE_OPTIONS, errno.EINVAL),
)


def instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction, with how many to skip if it is true and if it is false."""
    return struct.pack("HBBI", code, then, otherwise, value)


def return_error(error: int) -> bytes:
    """Make the call fail with this error, or return success if it is 0, without carrying it out."""
    return instruction(RETURN, ERRNO | error)


def load_argument(argument: int) -> bytes:
    """Load the lower half of an argument."""
    return instruction(LOAD, ARGUMENTS_OFFSET + 8 * argument)


def build_filter(
    machine: str, *, counts_memory: bool, has_network: bool = False, isolates_futexes: bool = False
) -> bytes:
    """The filter for this machine; memory without a file is allowed where a cgroup counts it.

    With `isolates_futexes` processes cannot wake each other by futexes, which locks between them
    need.
    """
    column, architecture = ARCHITECTURES[machine]
    found = [
        instruction(LOAD, ARCHITECTURE_OFFSET),
        instruction(EQUAL, architecture, 1),
        return_error(errno.ENOSYS),
        instruction(LOAD, NUMBER_OFFSET),
    ]
    if machine == "x86_64":
        found += [instruction(AT_LEAST, X32, 0, 1), return_error(errno.ENOSYS)]
    found += [instruction(AT_LEAST, NEWEST_CALL + 1, 0, 1), return_error(errno.ENOSYS)]
    refused = DENIED_CALLS if counts_memory else {**DENIED_CALLS, **UNCOUNTED_MEMORY_CALLS}
    missing = {**UNSUPPORTED_CALLS, **FUTEX2_CALLS} if isolates_futexes else UNSUPPORTED_CALLS
    rules = (*ARGUMENT_RULES, NO_SHARED_WAKES) if isolates_futexes else ARGUMENT_RULES
    for calls, error in ((refused, errno.EPERM), (missing, errno.ENOSYS), (IGNORED_CALLS, 0)):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                found += [instruction(EQUAL, number, 0, 1), return_error(error)]
    found += [] if counts_memory else uncounted_memory_checks(column)
    families = (AF_UNIX, *NETWORK_FAMILIES) if has_network else (AF_UNIX,)
    found += on_call(SOCKET[column], [load_argument(0), *allow_only(families, errno.EAFNOSUPPORT)])
    flagged = [instruction(ANY_BIT, NAMESPACE_FLAGS, 0, 1), return_error(errno.EPERM)]
    found += on_call(CLONE[column], [load_argument(0), *flagged])
    for call in (PREADV2, PWRITEV2):  # with RWF_NOWAIT they tell what is in memory
        found += on_call(call[column], [load_argument(5), *allow_only((0,), errno.EOPNOTSUPP)])
    for call in dict.fromkeys(rule.call for rule in rules):
        checks: list[bytes] = []
        for rule in rules:
            if rule.call == call:
                checks += [load_argument(rule.argument), *refuse_any(rule.values, rule.error)]
        found += on_call(call[column], checks)
    return b"".join([*found, instruction(RETURN, ALLOW)])


def on_call(number: int | None, checks: list[bytes]) -> list[bytes]:
    """Apply checks to this call only; it is allowed if no check has ended the filter."""
    if number is None:
        return []
    checks = [*checks, instruction(RETURN, ALLOW)]
    return [instruction(EQUAL, number, 0, len(checks)), *checks]


def refuse_any(values: tuple[int, ...], error: int) -> list[bytes]:
    """Fail with this error if the loaded value is one of these."""
    found = [
        instruction(EQUAL, value, len(values) - place - 1, int(place == len(values) - 1))
        for place, value in enumerate(values)
    ]
    return [*found, return_error(error)]


def allow_only(values: tuple[int, ...], error: int) -> list[bytes]:
    """Fail with this error unless the loaded value is one of these."""
    found = [instruction(EQUAL, value, len(values) - place) for place, value in enumerate(values)]
    return [*found, return_error(error)]


def uncounted_memory_checks(column: int) -> list[bytes]:
    """Checks for where no cgroup counts memory: forbid shared anonymous memory, larger sockets.

    A request for a larger send buffer returns success without effect.
    """
    shared = [
        load_argument(3),
        instruction(ANY_BIT, MAP_ANONYMOUS, 0, 2),
        instruction(ANY_BIT, MAP_SHARED, 0, 1),
        return_error(errno.ENOMEM),
    ]
    larger = [
        load_argument(1),
        instruction(EQUAL, SOL_SOCKET, 0, 3),
        load_argument(2),
        instruction(EQUAL, SO_SNDBUF, 0, 1),
        return_error(0),
    ]
    return [*on_call(MMAP[column], shared), *on_call(SETSOCKOPT[column], larger)]
