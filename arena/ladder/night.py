"""Play a night of a ladder, from taking its lock to writing its pages."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from signal import Signals

from arena.bots.bot import Bot
from arena.ladder import cleanup
from arena.ladder.folder import Ladder, open_ladder
from arena.ladder.models import NightSummary
from arena.ladder.night_dispatcher import NightDispatcher
from arena.ladder.night_lifecycle import (
    NightEntrant,
    NightPlan,
    StatusCallback,
    begin_or_resume_night,
    finish_night,
    is_night_over,
    make_night_limits,
    update_run_header,
)
from arena.ladder.registry import Registry
from arena.ladder.submissions.worker import remove_leftovers
from arena.report.build import BuiltReport
from arena.store.run import Run
from arena.tournaments.play.backend import RemoteBackend, SizedBackend
from arena.tournaments.play.dispatcher import Progress, ProgressCallback
from arena.tournaments.play.local_backend import LocalBackend, count_cores
from arena.tournaments.play.logging_setup import log_to_file, sandbox_text
from arena.tournaments.play.resume import code_hash
from arena.tournaments.play.signals import StopRequest

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class NightResult:
    """The result of playing a night."""

    plan: NightPlan
    """The night, and who took part."""
    progress: Progress
    failed_chunks: Sequence[str] = ()
    """Chunks that could not be played, and why."""
    stop_signal: Signals | None = None
    """The signal (SIGINT if there was none) that interrupted it; None: it was not interrupted."""
    summary: NightSummary | None = None
    """What the night changed; None if it was interrupted."""
    site: BuiltReport | None = None
    """The pages that were written; None if it was interrupted."""
    active_bots: int = 0
    """The number of active versions after the night."""

    @property
    def was_interrupted(self) -> bool:
        """Whether a stop request ended it; it is resumed by playing again."""
        return self.stop_signal is not None

    @property
    def is_complete(self) -> bool:
        """Whether it was played to its end with all bots and tables."""
        return not (self.was_interrupted or self.failed_chunks or self.plan.left_out)


BackendOpener = Callable[[], AbstractContextManager[RemoteBackend]]
"""Opens a backend in place of this machine's cores."""
BegunCallback = Callable[[NightPlan, int], None]
"""Is called once before playing, with the plan and the number of cores."""


def play_night(  # noqa: PLR0913 (each is a choice of the caller)
    ladder: Ladder | Path,
    *,
    games: int | None = None,
    end: datetime | None = None,
    workers: int | None = None,
    open_backend: BackendOpener | None = None,
    stop_request: StopRequest | None = None,
    on_begun: BegunCallback = lambda _plan, _cores: None,
    on_progress: ProgressCallback = lambda _progress: None,
    on_played: Callable[[], None] = lambda: None,
    on_status: StatusCallback = lambda _text: None,
    screen_handler: logging.Handler | None = None,
) -> NightResult:
    """Play a night of a ladder, or of the ladder in a folder; rate it and write its pages.

    A night that was interrupted is resumed. A new night ends after so many `games` or at `end`, by
    default after the time in `ladder.yaml`; a night that is resumed gets these limits if they are
    given. It is played on `workers` cores of this machine, by default on as many as `ladder.yaml`
    says, or on the backend that `open_backend` opens once the ladder is locked; the key `backend`
    is the caller's to follow. A `stop_request` handles its signals while games are played; by
    default no signal handler is changed. `on_played` is called when playing is over, also after an
    error. The log goes to the ladder's folder, and warnings to `screen_handler`. Raises `RunLocked`
    if another process plays a night of this ladder.
    """
    if isinstance(ladder, Path):
        ladder = open_ladder(ladder)
    is_explicit = games is not None or end is not None
    if not is_explicit:
        end = datetime.now().astimezone() + timedelta(seconds=ladder.settings.night_seconds)
    cores = workers or ladder.settings.workers or count_cores()
    stop_request = stop_request or StopRequest(signals=())
    cleanup.check_free_space(ladder.folder, cleanup.MIN_FREE_BYTES)
    with (
        Run.open_for_writing(ladder.folder) as run,
        Registry.open(ladder.folder) as registry,
        ExitStack() as stack,
    ):
        remove_leftovers(ladder)
        backend = stack.enter_context(open_backend()) if open_backend else None
        update_run_header(ladder, run, registry)
        unfinished = registry.open_night()
        if unfinished and is_night_over(ladder, registry, unfinished):
            finish_night(ladder, run, registry, unfinished, on_status)
        aim = make_night_limits(games, end, backend.cores if backend else cores)

        def find_unplayable(entrants: Sequence[NightEntrant]) -> Mapping[str, str]:
            return backend.check_bots(bot_paths(entrants)) if backend else {}

        plan = begin_or_resume_night(
            ladder, registry, aim, find_unplayable, is_explicit=is_explicit
        )
        update_run_header(ladder, run, registry)  # a version may have been accepted in the meantime
        night, config = plan.night, ladder.settings.referee_config
        with (
            log_to_file(cleanup.night_log(ladder, night.number), screen_handler),
            ExitStack() as playing,
        ):
            # A callback of the caller may start a display, which ends before the log is closed.
            playing.callback(on_played)
            on_begun(plan, backend.cores if backend else cores)
            playing.enter_context(stop_request)
            if backend:
                backend.check_bots(bot_paths(plan.entrants))
                player: SizedBackend = backend
            else:
                bots = [one.bot for one in plan.entrants]
                player = playing.enter_context(LocalBackend(cores, bots, config))
            run.begin_session(code_hash(), player.cores, config.sandbox.level, night.salt)
            LOG.info("night %d, sandbox %s", night.number, sandbox_text(config.sandbox))
            dispatcher = NightDispatcher(
                ladder, night, plan.entrants, run, player, stop_request, on_progress
            )
            is_complete = dispatcher.play()
        result = NightResult(
            plan=plan,
            progress=dispatcher.progress,
            failed_chunks=tuple(dispatcher.failed_chunks.values()),
            stop_signal=None if is_complete else stop_request.signal,
        )
        if is_complete:
            # The time of a resumed night is unknown: earlier sessions did not record theirs.
            played = (dispatcher.progress.seconds if plan.is_new else 0.0, plan.left_out)
            summary, site = finish_night(ladder, run, registry, night, on_status, played)
            active = len(registry.active_versions())
            result = replace(result, summary=summary, site=site, active_bots=active)
        cleanup.clean_up(ladder, registry)
        return result


def bot_paths(entrants: Iterable[NightEntrant]) -> Iterator[tuple[Bot, Path]]:
    """The bots of a night and where their files are."""
    return ((one.bot, Path(one.path)) for one in entrants)
