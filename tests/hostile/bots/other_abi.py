"""Calls the kernel in the tongue of other machines, 32-bit or x32, past the filter."""

import ctypes
import errno
import mmap
import os

import attacker

X32 = 1 << 30
GETPID, GETPID_32, SOCKETCALL_32, UNSHARE_32 = 39, 20, 102, 310
REFUSED = {errno.ENOSYS, errno.EPERM, errno.EACCES}


def by_interrupt(number: int) -> int:
    """Make a system call as a 32-bit program does: mov eax, number; xor ebx, ebx; int 0x80; ret."""
    code = b"\x53\xb8" + number.to_bytes(4, "little") + b"\x31\xdb\xcd\x80\x5b\xc3"
    everything = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE, prot=everything)
    page.write(code)
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return int(ctypes.CFUNCTYPE(ctypes.c_int)(start)())


def attack() -> None:
    if os.uname().machine != "x86_64":
        attacker.note("this machine has no other tongue that is known")
        return
    for name, number in (
        ("getpid", GETPID_32),
        ("socketcall", SOCKETCALL_32),
        ("unshare", UNSHARE_32),
    ):
        # Where the kernel does not know the interrupt, the child dies of it.
        result = attacker.in_a_child(by_interrupt, number)
        wrong = -result not in REFUSED | {errno.EINTR}
        attacker.judge(wrong, f"32-bit {name} {attacker.named(-result) if result < 0 else result}")
    for name, number in (("getpid", GETPID), ("ptrace", 521), ("ptrace as it was", 101)):
        result = attacker.in_a_child(attacker.call_number, X32 | number, 0, 0, 0, 0)
        attacker.judge(-result not in REFUSED, f"x32 {name} {attacker.named(-result)}")


attacker.play(attack)
