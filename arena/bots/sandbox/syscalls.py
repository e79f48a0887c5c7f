"""The system calls that the filter does not pass on, and their numbers on each architecture."""

from typing import Final

Numbers = tuple[int | None, int | None]
"""The numbers of a call on x86_64 and on aarch64; None where it does not exist."""

REFUSED: Final[dict[str, Numbers]] = {
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
    # where memory lies and who runs where
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
"""Refused as not permitted."""

MISSING: Final[dict[str, Numbers]] = {
    "clone3": (435, 435),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # what others do with a file: two bots could signal each other through any file of the system
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "inotify_rm_watch": (255, 28),
    # which pages of a file are in memory: a bot could leave a note there for its next process
    "mincore": (27, 232),
    "cachestat": (451, 451),
    # newer than most programs, and of no use to a bot
    "statmount": (457, 457),
    "listmount": (458, 458),
    "lsm_get_self_attr": (459, 459),
    "lsm_set_self_attr": (460, 460),
    "lsm_list_modules": (461, 461),
}
"""Answered as if the kernel did not have them, so that programs do it in the older way."""

NEWEST: Final = 462
"""The newest call that is known here (mseal); later ones are answered as if they did not exist."""

IGNORED: Final[dict[str, Numbers]] = {
    "flock": (73, 32),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
}
"""Answered with success and not carried out.

They lock a file, tell the kernel which of its pages to keep in memory, or write it to the disk. On
files that bots share this leaves a trace that another bot or a later process can find. Programs
that use them do not work without (Java, Go, Maven), but work if nothing happens, since a bot has no
file that anybody else writes to.
"""

UNCOUNTED: Final[dict[str, Numbers]] = {
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "vmsplice": (278, 75),
}
"""Make memory that only a cgroup counts."""

SHARED_FUTEXES: Final[dict[str, Numbers]] = {
    "futex_wake": (454, 454),
    "futex_wait": (455, 455),
    "futex_requeue": (456, 456),
}
"""Newer forms of futex, which no program depends on yet."""

CLONE: Final[Numbers] = (56, 220)
FCNTL: Final[Numbers] = (72, 25)
FUTEX: Final[Numbers] = (202, 98)
IOCTL: Final[Numbers] = (16, 29)
MADVISE: Final[Numbers] = (28, 233)
MMAP: Final[Numbers] = (9, 222)
PRCTL: Final[Numbers] = (157, 167)
PREADV2: Final[Numbers] = (327, 286)
PWRITEV2: Final[Numbers] = (328, 287)
SETSOCKOPT: Final[Numbers] = (54, 208)
SOCKET: Final[Numbers] = (41, 198)
