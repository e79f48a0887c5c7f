"""Build the site of a ladder from its run and its registry."""

from collections.abc import Sequence
from pathlib import Path

from arena.ladder.folder import SITE, Ladder
from arena.ladder.models import Night as Played
from arena.ladder.models import Version as Known
from arena.ladder.registry import Registry, utc_now
from arena.report.build import BuiltReport, ProgressCallback, build_report
from arena.report.data.ladder_info import LadderInfo, NightSummary, PublishedVersion, RankChange
from arena.report.data.rating_history import HistoryPoint
from arena.report.data.survey import survey_run
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.database import explain_errors
from arena.store.run import Run


def ladder_info(registry: Registry, *, live: bool) -> LadderInfo:
    """What pages tell of a ladder beside its games."""
    nights = [one for one in registry.nights() if one.summary is not None]
    return LadderInfo(
        versions=tuple(map(published_version, registry.versions())),
        nights=tuple(map(night_summary, nights)),
        last_blocks=tuple(one.summary.last for one in nights if one.summary),
        accepts_submissions=live,
    )


def published_version(known: Known) -> PublishedVersion:
    """A version as pages tell of it."""
    return PublishedVersion(
        bot=known.bot,
        name=known.name,
        number=known.number,
        owner=known.owner,
        message=known.message,
        submitted=known.submitted,
        state=known.state,
        why=known.why,
        description=known.description,
        author=known.author,
        language=known.language,
    )


def night_summary(played: Played) -> NightSummary:
    """A night as pages tell of it."""
    summary = played.summary
    if summary is None:
        raise ValueError("a night is told of once it is summed up")
    return NightSummary(
        number=played.number,
        began=played.began,
        ended=played.ended or utc_now(),  # its pages are the last thing that is left to do
        blocks=summary.blocks,
        games=summary.games,
        new=summary.new,
        retired=summary.retired,
        changes=tuple(
            RankChange(one.bot, one.before, one.after, one.mu_before, one.mu_after)
            for one in summary.moves
        ),
        remarks=tuple(
            f"{cell} was not played: too few bots of different owners for a table"
            for cell in summary.too_large
        ),
        counted_cells=summary.counted,
    )


def snapshot_registry(run: Run) -> Registry:
    """The registry as it stands in the snapshot of a run, so that both know the same bots."""
    return Registry(run.file, run.connection)


class LadderSite:
    """Tells of the ladder in a folder again and again, while it is served."""

    def __init__(self, folder: Path, *, live: bool = True) -> None:
        self.folder = folder
        self.live = live
        self.known_ratings: Sequence[HistoryPoint] = ()
        """Ratings after nights that were told before, which do not change."""

    def build_site(self) -> Site:
        """The site of the ladder as it stands now."""
        with Run.open(self.folder) as run:
            told = survey_run(
                run,
                ladder=ladder_info(snapshot_registry(run), live=self.live),
                known_history=self.known_ratings,
            )
            self.known_ratings = told.rating_history
            return Site(Pages(told, run.name, live=self.live))


def write_site(ladder: Ladder, tick: ProgressCallback = lambda *_: None) -> BuiltReport:
    """Write the site into the ladder's folder."""
    with Run.open(ladder.folder) as run:
        told = survey_run(run, ladder=ladder_info(snapshot_registry(run), live=False))
        return build_report(run, told, ladder.folder / SITE, tick)


def revision(folder: Path) -> object:
    """What changes whenever something has changed that pages show."""
    with Registry.open(folder) as registry, explain_errors(registry.file):
        return registry.connection.execute(
            "SELECT (SELECT coalesce(max(id), 0) FROM block), (SELECT count(*) FROM version),"
            " (SELECT count(*) FROM version WHERE state = 'active'),"
            " (SELECT count(*) FROM night WHERE summary IS NOT NULL),"
            " (SELECT count(*) FROM night WHERE ended IS NOT NULL)"
        ).fetchone()
