"""Merges several runs of the same plan into one, independent of their order."""

import heapq
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import combinations, groupby, islice, repeat
from operator import itemgetter
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arena.bots.digest import is_same_version
from arena.store import excuses
from arena.store.block import GameResult, PlayedBlock
from arena.store.database import BadRun, explain_errors, transaction
from arena.store.header import RunHeader, canonical_json, sync_folder
from arena.store.reading import Session
from arena.store.run import Run
from arena.store.writing import comparable_block, comparable_results

BATCH_SIZE: Final = 256
"""Blocks that are stored together."""

MAX_NAMED_CONFLICTS: Final = 100
"""Conflicts that are named; more are counted."""


SessionNumbers = dict[Session | None, int | None]
"""Under which number the new file knows each sitting."""


class Conflict(Struct, frozen=True):
    """A block that came out otherwise in another run."""

    block: str
    """Its key in hexadecimal digits."""
    variant: str
    bots: tuple[str, ...]
    kept: str
    """The run whose results stay."""
    results: tuple[GameResult, ...]
    dropped: str
    """The run whose results are put aside."""
    others: tuple[GameResult, ...]


class MergeResult(Struct):
    """What became of the runs."""

    blocks: int = 0
    games: int = 0
    duplicates: int = 0
    """Blocks that came out the same in more than one run, each time but the first."""
    conflicts: int = 0
    named: list[Conflict] = []


class SourceBlock(Struct, frozen=True):
    """A block, and the run it is from."""

    block: PlayedBlock
    session: Session | None
    run: Run

    def order_key(self) -> tuple[bytes, bytes]:
        """What decides which of several stays; it does not depend on who is named first."""
        return msgspec.json.encode(self.block.results), self.block.kept


def merge(folders: Sequence[Path], out: Path) -> MergeResult:
    """Make one run of several; it is there as a whole, or not at all."""
    if out.exists():
        raise BadRun(f"{out} is there already; name a folder that is not")
    with ExitStack() as stack:
        runs = [stack.enter_context(Run.open(folder)) for folder in folders]
        for one, other in combinations(runs, 2):
            check_same_plan(one, other)
        beside = out.absolute().parent
        try:
            beside.mkdir(parents=True, exist_ok=True)
            begun = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=beside))
            begun.chmod(0o755)
        except OSError as error:
            raise BadRun(f"{out} cannot be made: {error.strerror}") from error
        try:
            merged = fill_run(begun, runs)
            begun.rename(out)
            sync_folder(beside)
        except OSError as error:
            raise BadRun(f"{out} cannot be made: {error.strerror}") from error
        finally:
            shutil.rmtree(begun, ignore_errors=True)  # it is gone if it has got its name
    return merged


def check_same_plan(first: Run, other: Run) -> None:
    """Refuse runs that are not of the same plan, and say in what they differ."""
    differences = list(find_differences(first.header, other.header))
    if differences:
        raise BadRun(
            f"{first.folder} and {other.folder} are not of the same plan: {'; '.join(differences)}"
        )


def find_differences(first: RunHeader, other: RunHeader) -> Iterator[str]:
    """In what two headers differ, but for what no game depends on."""
    if first.seed != other.seed:
        yield "their seeds differ"
    for key in sorted(first.settings.keys() | other.settings.keys()):
        one, two = (canonical_json(header.settings.get(key)) for header in (first, other))
        if one != two and key not in {"bots", "seed"}:
            yield f"{key!r} is {one} in the first and {two} in the second"
    before, now = ({bot.name: bot for bot in header.bots} for header in (first, other))
    for name in sorted(before.keys() ^ now.keys()):
        yield f"the bot {name!r} is only in the {'first' if name in before else 'second'}"
    for name in sorted(before.keys() & now.keys()):
        if not is_same_version(before[name].version, now[name].version):
            yield (
                f"the bot {name!r} is version {before[name].shown} in the first and "
                f"{now[name].shown} in the second"
            )


def fill_run(folder: Path, runs: Sequence[Run]) -> MergeResult:
    """Put the blocks of all runs into a new one, in the order of their keys."""
    merged = MergeResult()
    sessions = sorted({one for run in runs for one in run.sessions()}, key=canonical_json)
    header = min((run.header for run in runs), key=preference)
    with Run.create(folder, header) as out, explain_errors(out.file):
        numbers: SessionNumbers = {None: None}
        with transaction(out.connection):
            numbers |= {one: out.writer.add_session(one) for one in sessions}
        every = group_blocks(runs)
        while some := list(islice(every, BATCH_SIZE)):
            with transaction(out.connection):
                for group in some:
                    write_group(out, group, numbers, merged)
        with transaction(out.connection):
            for run in runs:
                copy_conflicts(out, run, numbers)
            # What two copies of one run both hold happened once.
            for excuse in sorted(
                {one for run in runs for one in run.excuses()}, key=canonical_json
            ):
                bot = out.writer.bot_ids[excuse.bot]
                excuses.insert(out.connection, excuse, bot, numbers[excuse.session])
    return merged


def preference(header: RunHeader) -> tuple[int, str]:
    """What decides which header is kept: whole digests rather than the 12 digits of old runs."""
    return -sum(len(bot.version) for bot in header.bots), canonical_json(header)


def group_blocks(runs: Sequence[Run]) -> Iterator[list[SourceBlock]]:
    """Each block in all runs that have it, by its key."""
    keys = heapq.merge(*(zip(run.sorted_keys(), repeat(at)) for at, run in enumerate(runs)))
    for key, places in groupby(keys, key=itemgetter(0)):
        yield [
            SourceBlock(runs[at].block(key), runs[at].session_of(key), runs[at]) for _, at in places
        ]


def write_group(
    out: Run, group: Sequence[SourceBlock], numbers: SessionNumbers, merged: MergeResult
) -> None:
    """Keep one of the results of a block, and put those aside that contradict it."""
    first, *others = sorted(group, key=SourceBlock.order_key)
    block, keeper = first.block, out.writer
    keeper.session_number = numbers[first.session]
    keeper.insert(block)
    merged.blocks += 1
    merged.games += len(block.results)
    for other in others:
        if comparable_block(other.block) == comparable_block(block):
            merged.duplicates += 1
            continue
        keeper.session_number = numbers[other.session]
        keeper.add_conflict(block.key, other.block.results, other.block.kept)
        merged.conflicts += 1
        if len(merged.named) < MAX_NAMED_CONFLICTS:
            merged.named.append(
                Conflict(
                    block=block.key.hex(),
                    variant=block.variant,
                    bots=block.bots,
                    kept=str(first.run.folder),
                    results=block.results,
                    dropped=str(other.run.folder),
                    others=other.block.results,
                )
            )


def copy_conflicts(out: Run, run: Run, numbers: SessionNumbers) -> None:
    """Take over what a run had put aside before."""
    for aside in run.contradicting_results():
        if comparable_results(aside.results) != comparable_results(out.block(aside.key).results):
            out.writer.session_number = numbers[aside.session]
            out.writer.add_conflict(aside.key, aside.results, aside.kept)
