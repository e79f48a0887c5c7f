"""Check every 50 ms that bots keep their time and memory limits."""

from collections.abc import Sequence

from arena.bots.launcher import Launcher
from arena.bots.resource_usage import NS_PER_SECOND
from arena.errors import CpuStarvation
from arena.protocol.messages import Limits
from arena.referee.connection import Connection, ConnectionState, OpenQuestion
from arena.referee.fair_clock import MAX_WALL_FACTOR, StallDetector
from arena.referee.fault_handler import FaultHandler
from arena.referee.faults import FLUSH_HINT, IDLE_CPU_SHARE, timeout_text

MIN_REPORTED_WAIT = NS_PER_SECOND // 10
"""Nanoseconds of waiting for a core from which on a fault's text mentions it."""


class Watchdog:
    """Checks the limits of the bots of one table."""

    def __init__(
        self, launcher: Launcher, fault_handler: FaultHandler, connections: Sequence[Connection]
    ) -> None:
        self.launcher = launcher
        self.fault_handler = fault_handler
        self.config = fault_handler.config
        self.connections = connections
        self.stall_detector = StallDetector()

    def check_all(self, now: int) -> None:
        """Check all bots, and read the reports of the supervisor."""
        self.launcher.listen()
        stall = self.stall_detector.measure_stall(now)
        for connection in self.connections:
            if stall:
                connection.fair_clock.discount_stall(now, stall)
            self.check(connection, now)

    def check(self, connection: Connection, now: int) -> None:
        """Report a running bot that does not keep its limits."""
        process, limits = connection.process, self.config.limits
        if process is None:
            return
        process.update_usage()
        is_starting = connection.state is ConnectionState.STARTING
        if process.is_stdin_broken and connection.open_questions:
            connection.raise_if_killed()
            kind, text = connection.exit_fault("it closed its stdin")
            self.fault_handler.handle_fault(connection, kind, text)
        elif excess := process.limit_violation():
            if is_starting:
                self.fault_handler.handle_failed_start(connection, excess, kind="memory")
            else:
                self.fault_handler.handle_fault(connection, "memory", excess)
        elif limits:
            cpu = process.cpu_time() - connection.cpu_baseline
            if is_starting:
                self.check_start(connection, limits, now, cpu)
            elif connection.state is ConnectionState.THINKING and (
                open_question := connection.oldest_question()
            ):
                self.check_answer(connection, open_question, limits, now, cpu)

    def is_overdue(self, connection: Connection, now: int, seconds: float) -> bool:
        """Whether it took more real time than this, leaving out its waits for a core."""
        clock, allowed = connection.fair_clock, seconds * NS_PER_SECOND
        wall = now - clock.since
        if wall <= allowed:
            return False
        if not clock.is_still_waiting(now) and wall - clock.waited > allowed:
            return True
        if wall > MAX_WALL_FACTOR * allowed:
            name = connection.bot.name
            if self.config.is_excused(name):
                raise CpuStarvation(name)
            return True
        return False

    def check_start(self, connection: Connection, limits: Limits, now: int, cpu: int) -> None:
        """Report a bot that takes too long to get ready."""
        is_busy = cpu > limits.start * NS_PER_SECOND
        if is_busy or self.is_overdue(connection, now, max(limits.start, limits.wall)):
            wall = now - connection.fair_clock.since
            times = (
                f"{wall / NS_PER_SECOND:.1f} s, {cpu / NS_PER_SECOND:.1f} s of them CPU "
                f"time{core_wait_text(connection)}"
            )
            text = f"it did not say 'ready' in {times}"
            if connection.partial_line:
                text = f"its first line has no newline at its end, after {times}"
            elif cpu < IDLE_CPU_SHARE * wall:
                text += FLUSH_HINT
            self.fault_handler.handle_failed_start(connection, text, connection.partial_line)

    def check_answer(
        self,
        connection: Connection,
        open_question: OpenQuestion,
        limits: Limits,
        now: int,
        cpu: int,
    ) -> None:
        """Report a bot that takes too long to answer its oldest question."""
        connection.fair_clock.watch_if_slow(now)
        allowed = connection.move_ns + open_question.bank_left()
        if cpu <= allowed and not self.is_overdue(connection, now, limits.wall):
            return
        wall = now - connection.fair_clock.since
        if connection.partial_line:
            text = (
                f"its answer has no newline at its end, {wall / NS_PER_SECOND:.1f} s after the "
                f"question"
            )
            self.fault_handler.handle_fault(
                connection, "malformed", text, reply=connection.partial_line, fatal=True
            )
        elif cpu > allowed:
            self.fault_handler.handle_fault(connection, "timeout", timeout_text(cpu, allowed))
        else:
            hint = FLUSH_HINT if cpu < IDLE_CPU_SHARE * wall else ""
            text = (
                f"no answer in {wall / NS_PER_SECOND:.1f} s of real "
                f"time{core_wait_text(connection)}{hint}"
            )
            self.fault_handler.handle_fault(connection, "timeout", text)


def core_wait_text(connection: Connection) -> str:
    """Describe a long wait for a core, as part of a sentence; empty if it was short."""
    waited = connection.fair_clock.waited
    return (
        f", {waited / NS_PER_SECOND:.1f} s of them without a core"
        if waited > MIN_REPORTED_WAIT
        else ""
    )
