"""A network of namespaces: nodes that reach each other through a switch, and can be cut off."""

import ctypes
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

SWITCH = "switch"

NETWORK = 0x40000000  # CLONE_NEWNET
libc = ctypes.CDLL(None, use_errno=True)


def check_result(result: int) -> None:
    """Raise what the kernel has refused."""
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def here() -> int:
    """The namespace of this thread, as an open file."""
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY)


@contextmanager
def enter_namespace(space: int) -> Iterator[None]:
    """This thread, and threads and processes that it starts, in a namespace."""
    before = here()
    try:
        check_result(libc.setns(space, NETWORK))
        try:
            yield
        finally:
            check_result(libc.setns(before, NETWORK))
    finally:
        os.close(before)


def namespace() -> int:
    """A new namespace, as an open file."""
    before = here()
    try:
        with enter_namespace(before):
            check_result(libc.unshare(NETWORK))
            return here()
    finally:
        os.close(before)


class Network:
    """Nodes that reach each other through a switch; nothing of it is in our own namespace."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self.nodes = tuple(nodes)
        self.spaces: dict[str, int] = {}

    def host(self, node: str) -> str:
        """The address of a node."""
        return f"{'10.77.0' if self.spaces else '127.0.0'}.{self.nodes.index(node) + 1}"

    def ip(self, node: str, *lines: str) -> None:
        """Have some commands done by `ip`, at a node."""
        words, text = ["ip", "-batch", "-"], "\n".join(lines)
        with enter_namespace(self.spaces[node]):
            subprocess.run(words, input=text, text=True, check=True, capture_output=True)

    def connect(self) -> None:
        """Make the namespaces and all wires."""
        for node in (SWITCH, *self.nodes):
            self.spaces[node] = namespace()
        self.ip(SWITCH, "link add bridge type bridge", "link set bridge up")
        cards = {node: f"02:00:00:00:00:{n:02x}" for n, node in enumerate(self.nodes, 1)}
        for n, (node, card) in enumerate(cards.items(), 1):
            space = f"/proc/{os.getpid()}/fd/{self.spaces[node]}"
            self.ip(
                SWITCH,
                f"link add port{n} type veth peer name eth0 address {card} netns {space}",
                f"link set port{n} master bridge up",
            )
            # Who had to ask for a card would be told by the kernel that nobody answers.
            others = [
                f"neigh add {self.host(other)} lladdr {theirs} dev eth0 nud permanent"
                for other, theirs in cards.items()
                if other != node
            ]
            own = f"address add {self.host(node)}/24 dev eth0"
            self.ip(node, "link set lo up", own, "link set eth0 up", *others)

    def plug(self, node: str, where: str) -> None:
        """Take a node's port out of the switch or put it in; it stays up, so nobody is told."""
        self.ip(SWITCH, f"link set port{self.nodes.index(node) + 1} {where}")

    def close(self) -> None:
        """Let go of the namespaces, which end with the last process inside."""
        for space in self.spaces.values():
            os.close(space)
        self.spaces.clear()
