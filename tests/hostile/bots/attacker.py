"""What all attackers share: a bot that takes its first option, and strikes at its moment."""

import ctypes
import errno
import json
import mmap
import os
import platform
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, NoReturn

Message = dict[str, Any]
Attack = Callable[[], None]
Moment = Literal["before ready", "first decide", "every decide", "after result", "at the end"]

MIB: Final = 1 << 20

# What a cage allows a bot, all its processes together.
MEMORY: Final = 256 * MIB
PROCESSES: Final = 64
FILES: Final = 256
FILE: Final = 16 * MIB
TMP: Final = 32 * MIB
SHM: Final = 8 * MIB
INODES: Final = 20_000

# What an attacker takes at most, in case that nothing stops it.
MOST_PROCESSES: Final = 400
MOST_MEMORY: Final = 3072 * MIB
MOST_DISK: Final = 300 * MIB
MOST_INODES: Final = 100_000
LIFETIME: Final = 20
"""Seconds after which the kernel ends whatever an attacker has started."""

GIVE_UP_AFTER: Final = 2.0
"""Seconds after which an attack gives up."""

IS_COUNTED: Final = not os.path.exists("uncounted")
"""Whether a control group measures the bot; runner.py writes the file "uncounted" if none does."""

KILL_TIME: Final = 0.5
"""Seconds after a breach in which the kernel must have killed the attacker."""

KILL_TIME_UNCOUNTED: Final = 4.5
"""Seconds after the start of an attack in which the referee must have killed the attacker.

They are many because the referee polls, and polls late on a busy machine.
"""

LEFT: Final = b"stichkampf-left"
"""What processes are called that an attacker leaves behind, so that a test can look for them."""

READY: Final[Message] = {"type": "ready", "games": 64}
STEP: Final = 16 * MIB
SHOWN: Final = 700
"""Characters of a report."""

PR_SET_NAME: Final = 15
DENIED: Final = {errno.EPERM, errno.EACCES, errno.ENOSYS}
"""How a call says that it is not for everybody, before it looks at what it is asked."""

heard: dict[str, Message] = {}
"""The last message of each type."""

sip = 65_536
"""Bytes read at a time."""

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

_notes: list[str] = []
_breaches: list[str] = []
_said: set[str] = set()
_rest = b""
_began = time.monotonic()


# Playing


def caged() -> None:
    """End at once where there is no cage: nobody is to be harmed by mistake."""
    try:
        first = Path("/proc/1/comm").read_text().strip()
        inside = os.getcwd() == "/bot" and os.getppid() < os.getpid() < 100
    except OSError:
        first, inside = "", False
    if first != "bwrap" or not inside:
        os.write(2, b"NOT CAGED\n")
        os._exit(3)


def messages() -> Iterator[Message]:
    """What the referee says, until it has no more to say."""
    global _rest
    while True:
        line, newline, after = _rest.partition(b"\n")
        if newline:
            _rest = after
            message = json.loads(line)
            heard[message["type"]] = message
            yield message
        elif more := os.read(0, sip):
            _rest += more
        else:
            return


def unread() -> bytes:
    """What was read and not yet looked at."""
    return _rest


def put_back(data: bytes) -> None:
    """Look at this before anything else is read."""
    global _rest
    _rest = data + _rest


def write(stream: int, data: bytes) -> None:
    """Write all of it, however long it takes; nothing, if nobody listens any more."""
    with suppress(OSError):
        while data:
            data = data[os.write(stream, data) :]


def say(answer: Message | bytes | None) -> None:
    """A line to the referee, or whatever these bytes are."""
    if answer is not None:
        write(1, answer if isinstance(answer, bytes) else json.dumps(answer).encode() + b"\n")


def first_option(question: Message) -> Message:
    """The answer of a bot that does nothing wrong."""
    return {"type": "choose", "id": question["id"], "choice": question["options"][0]}


def play(
    attack: Attack | None = None,
    when: Moment = "first decide",
    *,
    ready: Message | bytes = READY,
    answer: Callable[[Message], Message | bytes | None] = first_option,
    harmless: bool = False,
) -> NoReturn:
    """Play every game to its end, and strike at the given moment, once unless it recurs."""
    if not harmless:
        caged()
    waiting = [] if attack is None else [attack]

    def strike_if(*moments: Moment) -> None:
        if when in moments and waiting:
            strike(waiting[0])
            if when != "every decide":
                waiting.clear()

    for message in messages():
        if message["type"] == "hello":
            strike_if("before ready")
            say(ready)
        elif message["type"] == "decide":
            strike_if("first decide", "every decide")
            say(answer(message))
        elif message["type"] == "result":
            strike_if("after result")
    strike_if("at the end")
    os._exit(0)  # threads that an attack has left are not waited for


def strike(attack: Attack) -> None:
    """Attack, and report what came of it; each report is given once."""
    global _began
    _began = time.monotonic()
    _notes.clear()
    _breaches.clear()
    try:
        attack()
    except Exception:  # an attack that fails by its own fault has shown nothing
        report("BROKEN " + traceback.format_exc().replace("\n", " | ")[-SHOWN:])
        return
    for found in _breaches:
        report("BREACH " + found)
    if not _breaches and "BREACH" not in _said:
        report("HELD " + "; ".join(_notes))


def report(text: str) -> None:
    """One line on stderr; of those that all held only the first."""
    kind = text.split(maxsplit=1)[0]
    if kind != "HELD" or kind not in _said:
        plain = text.encode("unicode_escape").decode()
        write(2, plain[:SHOWN].encode() + b"\n")
    _said.add(kind)


def recite(*lines: bytes) -> Callable[[Message], Message | bytes]:
    """Answers: each of these lines once, and then what is right.

    `@id` stands for the question's number and `@choice` for its first option.
    """
    left = list(lines)

    def answer(question: Message) -> Message | bytes:
        if not left:
            return first_option(question)
        line = left.pop(0).replace(b"@id", str(question["id"]).encode())
        return line.replace(b"@choice", question["options"][0].encode()) + b"\n"

    return answer


# Reporting


def note(text: str) -> None:
    """Something was refused, or came to nothing."""
    _notes.append(text)


def breach(text: str) -> None:
    """Something worked that must not."""
    _breaches.append(text)


def judge(wrong: bool, text: str) -> None:
    """A breach if this is wrong, else a note."""
    (breach if wrong else note)(text)


def named(number: int) -> str:
    """An error by its name."""
    return errno.errorcode.get(number, str(number))


def attempt(what: str, action: Callable[..., Any], *arguments: Any) -> Any:
    """Try what has to be refused; what came of it if it was not."""
    try:
        found = action(*arguments)
    except OSError as error:
        note(f"{what} {named(error.errno or 0)}")
        return None
    breach(what)
    return found


def refused(what: str, result: int) -> bool:
    """Judge the result of a call that has to fail, in whatever way; whether it did."""
    judge(result >= 0, f"{what} {named(-result) if result < 0 else 'works'}")
    return result < 0


def denied(what: str, result: int) -> None:
    """Judge the result of a call that has to be denied before its arguments are looked at."""
    judge(-result not in DENIED, f"{what} {named(-result) if result < 0 else 'works'}")


def time_left() -> float:
    """Seconds until the attack has to give up."""
    return _began + GIVE_UP_AFTER - time.monotonic()


# Calling the kernel

CALLS: Final = {
    name: (int(intel), int(arm))
    for name, intel, arm in (
        row.split()
        for row in """
acct 163 89
add_key 248 217
bpf 321 280
cachestat 451 451
capset 126 91
chroot 161 51
clock_adjtime 305 266
clock_settime 227 112
clone 56 220
clone3 435 435
delete_module 176 106
exit 60 93
fanotify_init 300 262
fcntl 72 25
finit_module 313 273
fsmount 432 432
fsopen 430 430
fspick 433 433
getpid 39 172
init_module 175 105
inotify_add_watch 254 27
inotify_init1 294 26
io_uring_enter 426 426
io_uring_register 427 427
io_uring_setup 425 425
ioctl 16 29
ioperm 173 -1
iopl 172 -1
ioprio_set 251 30
kcmp 312 272
kexec_file_load 320 294
kexec_load 246 104
keyctl 250 219
lookup_dcookie 212 18
madvise 28 233
mbind 237 235
memfd_secret 447 447
migrate_pages 256 238
mincore 27 232
mlock 149 228
mlock2 325 284
mlockall 151 230
mmap 9 222
modify_ldt 154 -1
mount 165 40
mount_setattr 442 442
move_mount 429 429
move_pages 279 239
mq_open 240 180
mq_timedreceive 243 183
mq_timedsend 242 182
mq_unlink 241 181
msgctl 71 187
msgget 68 186
name_to_handle_at 303 264
open_by_handle_at 304 265
open_tree 428 428
perf_event_open 298 241
personality 135 92
pidfd_getfd 438 438
pidfd_open 434 434
pidfd_send_signal 424 424
pivot_root 155 41
prctl 157 167
preadv2 327 286
prlimit64 302 261
process_madvise 440 440
process_vm_readv 310 270
process_vm_writev 311 271
ptrace 101 117
quotactl 179 60
reboot 169 142
request_key 249 218
rt_sigqueueinfo 129 138
rt_tgsigqueueinfo 297 240
sched_setaffinity 203 122
sched_setattr 314 274
sched_setparam 142 118
sched_setscheduler 144 119
semget 64 190
set_mempolicy 238 237
setdomainname 171 162
setfsuid 122 151
setgroups 116 159
sethostname 170 161
setns 308 268
setresgid 119 149
setresuid 117 147
settimeofday 164 170
shmat 30 196
shmctl 31 195
shmdt 67 197
shmget 29 194
socket 41 198
swapoff 168 225
swapon 167 224
syslog 103 116
tgkill 234 131
tkill 200 130
umount2 166 39
unshare 272 97
userfaultfd 323 282
vhangup 153 58
""".strip().splitlines()
    )
}
"""Numbers of system calls on x86-64 and on 64-bit ARM; -1 where there is none."""

MACHINE: Final = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), -1)


def call(name: str, *arguments: Any) -> int:
    """A system call, past everything a library may think of it; what failed is a negative errno."""
    number = CALLS[name][MACHINE] if MACHINE >= 0 else -1
    return call_number(number, *arguments) if number >= 0 else -errno.ENOSYS


def call_number(number: int, *arguments: Any) -> int:
    """A system call by its number."""
    ctypes.set_errno(0)
    result: int = libc.syscall(ctypes.c_long(number), *map(as_argument, arguments))
    return -ctypes.get_errno() if result == -1 else result


def as_argument(value: Any) -> Any:
    """A number, text, structure or nothing, as the kernel takes it."""
    if value is None:
        return ctypes.c_void_p(None)
    if isinstance(value, int):
        return ctypes.c_ulong(value & (1 << 64) - 1)
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    return ctypes.byref(value)


# Processes


def population() -> int:
    """How many processes and threads there are in this cage, but for the one that holds it."""
    total = 0
    for entry in os.listdir("/proc"):
        if entry.isdigit() and entry != "1":
            with suppress(OSError):
                total += len(os.listdir(f"/proc/{entry}/task"))
    return total


def pids() -> set[int]:
    """All processes that can be seen."""
    return {int(entry) for entry in os.listdir("/proc") if entry.isdigit()}


def rights(pid: str) -> dict[str, str]:
    """What a process may do that others may not, and what it may not."""
    with open(f"/proc/{pid}/status") as file:
        status = dict(line.split(":", 1) for line in file)
    with open(f"/proc/{pid}/limits") as file:
        limits = {line[:24].strip(): line[24:].strip() for line in file}
    keys = ("Uid", "Groups", "CapPrm", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp")
    return {key: status[key].strip() for key in keys} | limits


def rename(name: bytes) -> None:
    """Go by another name."""
    libc.prctl(PR_SET_NAME, ctypes.c_char_p(name), 0, 0, 0)


def away(action: Callable[..., object], *arguments: Any, lifetime: int = LIFETIME) -> int:
    """Do something in a child, which the kernel ends after this time; its number."""
    pid = os.fork()
    if pid == 0:
        become_a_child(lifetime)
        try:
            action(*arguments)
        finally:
            os._exit(0)
    return pid


def become_a_child(lifetime: int = LIFETIME) -> None:
    """Be recognisable, and bounded in time, whatever happens."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    signal.alarm(lifetime)
    rename(LEFT)


def wait_for_the_end() -> NoReturn:
    """Do nothing until killed."""
    while True:
        time.sleep(LIFETIME)


def in_a_child(action: Callable[..., int | None], *arguments: Any) -> int:
    """The result of a call made in a child, so that its success does not change this process."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        become_a_child(2)
        try:
            result = action(*arguments) or 0
        except OSError as error:
            result = -(error.errno or errno.EIO)
        os.write(writer, b"%d" % result)
        os._exit(0)
    os.close(writer)
    said = os.read(reader, 64)
    os.close(reader)
    os.waitpid(pid, 0)
    return int(said) if said else -errno.EINTR


# Filling up


def touch(block: mmap.mmap) -> None:
    """Write to every page."""
    ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(block)), 120, len(block))


def breach_lasts(is_breach: Callable[[], bool]) -> bool:
    """Wait until a breach ends or the bot should have been killed; whether the breach remains."""
    until = time.monotonic() + KILL_TIME
    if not IS_COUNTED:
        until = max(until, _began + KILL_TIME_UNCOUNTED)
    while is_breach() and time.monotonic() < until:
        time.sleep(0.05)
    return is_breach()


def drop_ended(children: list[int]) -> list[int]:
    """Remove the children that have ended from the list, and return it."""
    children[:] = [pid for pid in children if not os.waitpid(pid, os.WNOHANG)[0]]
    return children


def hoard(grow: Callable[[int], object]) -> None:
    """Let something grow until it is refused, and see whether too much is held for a while."""
    held = 0
    kept = []
    while held < MOST_MEMORY and (held <= MEMORY or time_left() > 0):  # busy machines are slow
        try:
            kept.append(grow(STEP))
        except (OSError, MemoryError, ValueError) as error:
            note(f"refused by {type(error).__name__}")
            break
        held += STEP
    judge(breach_lasts(lambda: held > MEMORY), f"held {held // MIB} MiB for a while")


def fill(folder: str, most: int = MOST_DISK) -> int:
    """Write files into a folder until it is refused; how many bytes it took."""
    block = b"x" * MIB
    total = 0
    made = []
    for number in range(1000):
        if total >= most:
            break
        name = os.path.join(folder, f"stichkampf-fill-{number}")
        try:
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            break
        made.append(name)
        size = 0
        try:
            while size < FILE and total < most:
                written = os.write(file, block)
                size += written
                total += written
        except OSError:
            pass
        finally:
            os.close(file)
        if size < FILE:
            break
    if folder not in {"/tmp", "/dev/shm"}:
        for name in made:  # what goes with the cage may stay; nothing else is to be left behind
            os.remove(name)
    return total


def make_file(folder: str) -> None:
    """Make a file, and remove it again if that went well."""
    name = os.path.join(folder, "stichkampf-file")
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    os.remove(name)


# Time


def too_much() -> float:
    """More seconds of CPU time than there are for the question at hand."""
    clock = heard["decide"].get("clock")
    return 1.5 * (clock["move"] + clock["bank"]) + 0.5 if clock else 1.0


def too_long() -> float:
    """More seconds of real time than there are for an answer."""
    limits = heard["hello"].get("limits")
    return float(limits["wall"]) + 5.0 if limits else 1.0


def burn(seconds: float) -> None:
    """Compute for so many seconds of this process' CPU time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


if __name__ == "__main__":
    sys.exit("this is no bot: the attackers beside it share it")
