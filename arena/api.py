"""The public Python interface: every use case of the command `arena` as a function.

Play a tournament and print its standings:

    from pathlib import Path
    from arena.api import run_tournament

    result = run_tournament(Path("tournaments/friday.yaml"), Path("runs/friday"))
    for line in result.standings().overall.lines:
        print(line.rank, line.bot, line.mu)

| function | what it does |
|---|---|
| `run_tournament` | plays a tournament, or what is missing of it |
| `compare_bots` | plays two bots until it is known whether one is better |
| `check_bot` | checks a bot against the protocol |
| `build_report` | writes the pages of a run |
| `verify_run` | replays every game of a run and compares |
| `create_ladder`, `submit_bot`, `play_night` | create a ladder, submit a bot, play a night |
| `load_standings` | computes the standings of a run, also while it is played |
| `rate_cells`, `build_standings` | computes ratings from results, and standings from both |
| `load_bot`, `variant` | loads a bot by its path or name; returns a variant by its name |
| `Launcher`, `Referee` | starts bots, in a sandbox or without; plays games with them |
| `Run` | reads the blocks, games and faults of a run |

A function that takes long calls `on_progress` with its progress. It raises an `ArenaError` for a
mistake of the caller. It prints nothing and changes no signal handlers; a `StopRequest` that is
passed stops it on a signal. Modules that are not named here may change in every version.
"""

from arena.bots.bot import Bot, load_bot
from arena.bots.launcher import Launcher
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from arena.conformance.check import CheckResult, check_bot
from arena.errors import ArenaError
from arena.games.catalog import VARIANTS, Variant, variant
from arena.ladder.create import NewLadder, create_ladder
from arena.ladder.night import NightResult, play_night
from arena.ladder.submissions.submit import SubmissionResult, submit_bot
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.ratings.overall import Roster, rate_cells
from arena.ratings.results import Results
from arena.ratings.standings import Standings, build_standings
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.referee.live_game import Deal
from arena.referee.record import Record
from arena.referee.referee import FinishedGame, Referee
from arena.report.build import BuiltReport, build_report
from arena.store.run import Run
from arena.tournaments.compare import ComparisonResult, compare_bots
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.config.tournament import load as load_tournament
from arena.tournaments.play.live_standings import load_standings
from arena.tournaments.play.run import RunResult, run_tournament
from arena.tournaments.play.signals import StopRequest
from arena.tournaments.verify import RunVerification, verify_run

__all__ = [
    "VARIANTS",
    "ArenaError",
    "Bot",
    "BuiltReport",
    "Cell",
    "CheckResult",
    "ComparisonResult",
    "Deal",
    "Fault",
    "FinishedGame",
    "Launcher",
    "Limits",
    "NewLadder",
    "NightResult",
    "Record",
    "Referee",
    "RefereeConfig",
    "Results",
    "Roster",
    "Run",
    "RunResult",
    "RunVerification",
    "Sandbox",
    "Standings",
    "StopRequest",
    "SubmissionResult",
    "Tournament",
    "Variant",
    "build_report",
    "build_standings",
    "check_bot",
    "compare_bots",
    "create_ladder",
    "load_bot",
    "load_standings",
    "load_tournament",
    "play_night",
    "rate_cells",
    "run_tournament",
    "select_sandbox",
    "submit_bot",
    "variant",
    "verify_run",
]
