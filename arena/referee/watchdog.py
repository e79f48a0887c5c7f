"""Check every 50 ms that bots keep their time and memory limits."""

from collections.abc import Sequence

from arena.bots.usage import NS_PER_SECOND
from arena.errors import CpuStarvation
from arena.protocol.messages import Limits
from arena.referee.connection import Connection, OpenQuestion
from arena.referee.fair_clock import MAX_WALL_FACTOR, StallDetector
from arena.referee.fault_handler import FLUSH_HINT, IDLE_CPU_SHARE, FaultHandler, timeout_text

MIN_REPORTED_WAIT = NS_PER_SECOND // 10
"""Nanoseconds that a bot has to wait for a core before anybody is told."""


class Watchdog:
    """Watches over the bots of one table."""

    def __init__(self, fault_handler: FaultHandler, connections: Sequence[Connection]) -> None:
        self.fault_handler = fault_handler
        self.connections = connections
        self.stall_detector = StallDetector()

    def check_all(self, now: int) -> None:
        """Look at clocks and memory, and for news from the warden."""
        self.fault_handler.poller.launcher.listen()
        stall = self.stall_detector.measure_stall(now)
        for player in self.connections:
            if stall:
                player.discount_stall(now, stall)
            self.check(player, now)

    def check(self, connection: Connection, now: int) -> None:
        """Whether a running bot keeps to its limits."""
        process, limits = connection.process, self.fault_handler.config.limits
        if process is None:
            return
        process.update_usage()
        if process.is_stdin_broken and connection.open_questions:
            self.fault_handler.raise_if_killed(connection)
            self.fault_handler.handle_fault(
                connection, *self.fault_handler.exit_fault(connection, "it closed its stdin")
            )
        elif excess := process.limit_violation():
            if connection.ready:
                self.fault_handler.handle_fault(connection, "memory", excess)
            else:
                self.fault_handler.handle_failed_start(connection, excess, kind="memory")
        elif limits:
            cpu = process.cpu_time() - connection.cpu_baseline
            if not connection.ready:
                self.check_start(connection, limits, now, cpu)
            elif asked := connection.oldest_question():
                connection.fair_clock.start_if_slow(
                    connection.wall_baseline, now, process.reaper_pid
                )
                self.check_answer(connection, asked, limits, now, cpu)

    def is_overdue(self, connection: Connection, now: int, allowed: float) -> bool:
        """Whether it took more real time than that, but for what the machine kept from it."""
        wall = now - connection.wall_baseline
        if wall <= allowed * NS_PER_SECOND or connection.process is None:
            return False
        waits = connection.fair_clock.is_still_waiting(now, connection.process.reaper_pid)
        if not waits and wall - connection.fair_clock.waited > allowed * NS_PER_SECOND:
            return True
        if wall > MAX_WALL_FACTOR * allowed * NS_PER_SECOND:
            if self.fault_handler.config.is_excused(connection.bot.name):
                raise CpuStarvation(connection.bot.name)
            return True
        return False

    def check_start(self, connection: Connection, limits: Limits, now: int, cpu: int) -> None:
        """Whether it is still in time to get ready."""
        busy = cpu > limits.start * NS_PER_SECOND
        if busy or self.is_overdue(connection, now, max(limits.start, limits.wall)):
            wall = now - connection.wall_baseline
            spent = (
                f"{wall / NS_PER_SECOND:.1f} s, {cpu / NS_PER_SECOND:.1f} s of them CPU "
                f"time{core_wait_text(connection)}"
            )
            text = f"it did not say 'ready' in {spent}"
            if connection.partial_line:
                text = f"its first line has no newline at its end, after {spent}"
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
        """Whether it is still in time to answer its oldest question."""
        if len(connection.open_questions) == connection.unsent_questions:
            return  # it was not sent yet
        allowed = connection.move_ns + open_question.bank_left()
        if cpu <= allowed and not self.is_overdue(connection, now, limits.wall):
            return
        wall = now - connection.wall_baseline
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
    """How long a bot has waited for a core, if that is worth saying."""
    waited = connection.fair_clock.waited
    return (
        f", {waited / NS_PER_SECOND:.1f} s of them without a core"
        if waited > MIN_REPORTED_WAIT
        else ""
    )
