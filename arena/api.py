"""The public Python interface: the main use cases of the command `arena` as functions.

Play a tournament and print its standings:

    from pathlib import Path
    from arena.api import run_tournament

    result = run_tournament(Path("tournaments/friday.yaml"), Path("runs/friday"))
    for line in result.standings().overall.lines:
        print(line.rank, line.bot, line.mu)

| function | what it does |
|---|---|
| `create_bot`, `check_bot` | creates a bot from a starter kit; checks a bot against the protocol |
| `load_tournament` | loads a tournament from its YAML file |
| `run_tournament` | plays a tournament, or what is missing of it |
| `preview_tournament` | computes the size, cost and fairness of a tournament before it is played |
| `compare_bots` | plays two bots until a test decides which is better, or all games are played |
| `play_game` | plays a single game, and can log the conversations with its bots |
| `reask_seat` | asks a bot the questions of one seat of a recorded game |
| `build_report` | writes the pages of a run |
| `verify_run`, `verify_ladder` | replay every recorded game of a run or a ladder and compare |
| `verify_file`, `verify_dropped_records` | verify records that are kept outside of a run |
| `merge_runs` | merges several runs of the same plan into one |
| `create_ladder`, `submit_bot`, `play_night` | create a ladder, submit a bot, play a night |
| `submit_to_server` | submits a bot with a `LadderClient`, which has a URL and a token |
| `back_up` | writes a ladder into one archive |
| `simulate_ladder` | simulates a ladder of bots with known strength |
| `load_standings`, `load_ladder_standings` | compute the standings of a run or a ladder |
| `run_standings` | computes them in all or some cells of an open run, with optional sections |
| `rate_crosstable` | compares every bot of a run with every other bot |
| `load_game_details` | loads everything that a run has stored about one game |
| `rate_cells`, `build_standings` | compute ratings, or standings, from results |
| `load_bot` | loads a bot by its path or name |
| `variant`, `VARIANTS` | returns a variant by its name; all variants |
| `select_sandbox` | creates the requested sandbox, or the best one of this machine |
| `Launcher`, `Referee` | starts bots, in a sandbox or without; plays many games with them |
| `Run` | reads the blocks, games and faults of a run |
| `diagnose` | detects which sandbox features and compilers this machine has |

`run_tournament`, `compare_bots`, `play_night`, `check_bot`, `build_report`, `verify_run` and
`verify_ladder` call `on_progress` with their progress, `submit_bot` and `submit_to_server` call
`on_message`, and `simulate_ladder` calls `on_night`. Mistakes of the caller raise an `ArenaError`.
The functions print nothing. `run_tournament`, `compare_bots` and `play_night` handle stop signals
only if they get a `StopRequest`. `submit_bot` has to run in the main thread, since its time limits
use SIGALRM. Names that are not in `__all__` may change in every version.
"""

from arena.bots.bot import Bot, load_bot
from arena.bots.launcher import Launcher
from arena.bots.machine_diagnosis import Diagnosis, diagnose
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from arena.bots.starter_kits import create_bot
from arena.conformance.check import CheckResult, check_bot
from arena.errors import ArenaError
from arena.games.catalog import VARIANTS, Variant, variant
from arena.ladder.backup import BackupResult, back_up
from arena.ladder.create import NewLadder, create_ladder
from arena.ladder.matchmaking.simulation import (
    SimulationResult,
    SimulationSettings,
    simulate_ladder,
)
from arena.ladder.night import NightResult, play_night
from arena.ladder.standings import load_ladder_standings
from arena.ladder.submissions.client import LadderClient
from arena.ladder.submissions.submit import SubmissionResult, submit_bot, submit_to_server
from arena.ladder.verify import verify_ladder
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.ratings.crosstable import Crosstable, rate_crosstable
from arena.ratings.overall import Roster, rate_cells
from arena.ratings.results import Results
from arena.ratings.standings import Standings, build_standings
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.referee.live_game import Deal
from arena.referee.record import Record
from arena.referee.recorded_questions import ReaskedGame, reask_seat
from arena.referee.referee import FinishedGame, Referee
from arena.referee.single_game import play_game
from arena.report.build import BuiltReport, build_report
from arena.report.data.game_details import GameDetails, load_game_details
from arena.store.merge import MergeResult, merge_runs
from arena.store.run import Run
from arena.tournaments.compare import ComparisonResult, compare_bots
from arena.tournaments.config.tournament import Tournament, load_tournament
from arena.tournaments.plan.preview import Preview, preview_tournament
from arena.tournaments.play.live_standings import load_standings, run_standings
from arena.tournaments.play.run import RunResult, run_tournament
from arena.tournaments.play.signals import StopRequest
from arena.tournaments.verify import (
    FileVerification,
    RecordVerification,
    RunVerification,
    verify_dropped_records,
    verify_file,
    verify_run,
)

__all__ = [
    "VARIANTS",
    "ArenaError",
    "BackupResult",
    "Bot",
    "BuiltReport",
    "Cell",
    "CheckResult",
    "ComparisonResult",
    "Crosstable",
    "Deal",
    "Diagnosis",
    "Fault",
    "FileVerification",
    "FinishedGame",
    "GameDetails",
    "LadderClient",
    "Launcher",
    "Limits",
    "MergeResult",
    "NewLadder",
    "NightResult",
    "Preview",
    "ReaskedGame",
    "Record",
    "RecordVerification",
    "Referee",
    "RefereeConfig",
    "Results",
    "Roster",
    "Run",
    "RunResult",
    "RunVerification",
    "Sandbox",
    "SimulationResult",
    "SimulationSettings",
    "Standings",
    "StopRequest",
    "SubmissionResult",
    "Tournament",
    "Variant",
    "back_up",
    "build_report",
    "build_standings",
    "check_bot",
    "compare_bots",
    "create_bot",
    "create_ladder",
    "diagnose",
    "load_bot",
    "load_game_details",
    "load_ladder_standings",
    "load_standings",
    "load_tournament",
    "merge_runs",
    "play_game",
    "play_night",
    "preview_tournament",
    "rate_cells",
    "rate_crosstable",
    "reask_seat",
    "run_standings",
    "run_tournament",
    "select_sandbox",
    "simulate_ladder",
    "submit_bot",
    "submit_to_server",
    "variant",
    "verify_dropped_records",
    "verify_file",
    "verify_ladder",
    "verify_run",
]
