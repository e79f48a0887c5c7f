"""Every attacker, and what must come of it: the single place that says so."""

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

BOTS = Path(__file__).parent / "bots"

Group = Literal[
    "processes",
    "memory",
    "disk",
    "network",
    "snooping",
    "signals",
    "escape",
    "kernel",
    "protocol",
    "clock",
    "after the game",
]


@dataclass(frozen=True)
class Case:
    """An attacker, and what is right."""

    name: str
    """A script in `bots` without its ending, or a folder there."""
    group: Group
    verdict: frozenset[str] = frozenset()
    """The faults that are right; none: it has to play on without one."""
    optional: bool = False
    """Whether it is right as well that it plays on without a fault."""
    says: str = "HELD"
    """What it has to write to stderr; nothing, if it is judged by the referee alone."""
    why: str = ""
    """What the fault has to be about: some can be right for the wrong reason."""
    twins: bool = False
    """Whether it shows more where it has two seats, or two processes one after the other."""

    @property
    def attack(self) -> str:
        """What it tries, in its own words."""
        script = BOTS / f"{self.name}.py"
        if not script.is_file():
            (script,) = sorted((BOTS / self.name).glob("*.py"))
        return ast.get_docstring(ast.parse(script.read_text())) or ""


def holds(group: Group, *names: str) -> tuple[Case, ...]:
    """Attacks that are refused and cost nothing: the attacker says so, and plays on."""
    return tuple(Case(name, group) for name in names)


def faults(group: Group, name: str, *verdict: str) -> Case:
    """An attack that the referee has to judge."""
    return Case(name, group, frozenset(verdict), says="")


def burns(name: str) -> Case:
    """An attack that has to cost CPU time, and not only to take long."""
    return Case(name, "clock", frozenset({"timeout"}), says="", why="CPU time")


def harmless(group: Group, *names: str) -> tuple[Case, ...]:
    """Attacks of which nobody notices anything, the attacker neither."""
    return tuple(Case(name, group, says="") for name in names)


def contained(name: str, group: Group = "memory") -> Case:
    """An attack that the kernel may refuse, end, or end a child for; each is right."""
    return Case(name, group, frozenset({"memory"}), optional=True, says="")


CASES: tuple[Case, ...] = (
    # Processes: more of them than anybody needs, and fewer than there seem to be.
    *holds("processes", "fork_bomb", "thread_bomb", "clone_bomb", "zombies", "changes_program"),
    # Whether the end is seen at once depends on who else holds the pipe.
    faults("processes", "child_plays_on", "exited", "timeout"),
    faults("processes", "holds_stdout", "exited", "timeout"),
    # Memory: what one process fills is its own fault. Where it belongs to no process, or to
    # children, the kernel may refuse it or kill a child, and the bot plays on.
    faults("memory", "memory_private", "memory"),
    contained("memory_shared"),
    faults("memory", "memory_at_the_start", "memory", "start"),
    contained("memory_memfd"),
    contained("memory_processes"),
    contained("memory_stack"),
    contained("memory_sysv"),
    contained("memory_page_tables"),
    contained("memory_pipes"),
    contained("hidden_shared"),
    contained("hidden_leader"),
    contained("hidden_sockets"),
    *holds("memory", "memory_tmp", "memory_dev_shm", "memory_locked"),
    # Disk.
    *holds("disk", "disk_fill", "sparse_file", "open_files", "core_dump", "deep_folders"),
    contained("inode_fill", "disk"),
    # Network.
    *holds("network", "network_tcp", "network_udp", "network_ipv6", "network_raw"),
    *holds("network", "network_netlink", "network_vsock", "network_families"),
    *holds("network", "network_abstract", "network_path", "network_dns"),
    # Snooping.
    *holds("snooping", "snoops_processes", "snoops_init", "snoops_kernel", "memory_of_others"),
    *holds("snooping", "host_folders", "host_secrets", "host_search", "identity"),
    *holds("snooping", "environment", "descriptors", "ipc_of_the_host", "host_groups"),
    # Signals.
    *holds("signals", "signals_everyone", "signals_init", "signals_by_detours"),
    faults("signals", "kills_itself", "exited"),
    # Escape.
    *holds("escape", "setuid_programs", "setuid_calls", "capabilities", "mounts", "namespaces"),
    *holds("escape", "chroot_escape", "file_handles", "links", "device_nodes", "devices"),
    *holds("escape", "writes_to_its_folder", "overwrites_programs", "terminal", "lifts_limits"),
    *holds("escape", "cgroups", "scheduling"),
    # Kernel.
    *holds("kernel", "keyring", "bpf", "perf_events", "io_uring", "userfaultfd", "kernel_image"),
    *holds("kernel", "host_clock", "host_name", "other_abi", "personality", "rare_calls"),
    *holds("kernel", "kernel_knobs", "kernel_log", "kernel_budgets", "reads_random"),
    *holds("kernel", "writes_to_full", "locks_everything", "memory_killer"),
    # Protocol.
    faults("protocol", "stdout_flood", "malformed"),
    faults("protocol", "line_without_end", "too-long"),
    faults("protocol", "half_an_answer", "malformed"),
    faults("protocol", "drips_for_ever", "malformed"),
    faults("protocol", "reads_nothing", "timeout"),
    faults("protocol", "json_nesting", "malformed"),
    faults("protocol", "json_numbers", "malformed"),
    faults("protocol", "json_strings", "malformed", "illegal"),
    faults("protocol", "json_keys", "malformed"),
    faults("protocol", "text_bytes", "malformed"),
    faults("protocol", "text_halves", "malformed"),
    faults("protocol", "half_a_name", "start"),
    faults("protocol", "answers_in_advance", "out-of-turn"),
    # Nobody sees the end of a stream that bubblewrap holds as well.
    faults("protocol", "shuts_stdout", "exited", "timeout"),
    faults("protocol", "shuts_stdin", "exited", "timeout"),
    *harmless("protocol", "stderr_flood", "drips", "hostile_notes", "hostile_name"),
    faults("protocol", "old_answers", "out-of-turn"),
    *harmless("protocol", "tiny_pipes", "shuts_stderr"),
    # That it plays such variants may be believed, or refused as no message: what counts is that
    # neither takes long.
    Case("endless_patterns", "protocol", frozenset({"start"}), optional=True, says=""),
    # Clock: CPU time is that of everything it has started, whether it was asked or not.
    burns("ponders_in_threads"),
    burns("ponders_in_children"),
    burns("burns_in_many"),
    burns("burns_disowned"),
    burns("burns_forgotten"),
    burns("burns_in_sparks"),
    burns("burns_in_disguise"),
    faults("clock", "burns_at_the_start", "start"),
    faults("clock", "sleeps_through", "timeout"),
    faults("clock", "stops_itself", "timeout"),
    *harmless("clock", "dawdles"),
    # After the game: nothing of it is left, neither processes nor notes.
    *holds("after the game", "survives"),
    *harmless("after the game", "lingers", "floods_at_the_end", "comet"),
    Case("takes_notes", "after the game", twins=True),
    Case("colludes", "after the game", twins=True),
)
