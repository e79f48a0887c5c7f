"""Build the site of a ladder from its run and its registry."""

from collections.abc import Sequence
from pathlib import Path

from arena.ladder.folder import SITE_FOLDER, Ladder
from arena.ladder.models import Night
from arena.ladder.registry import Registry
from arena.report.build import BuiltReport, build_report
from arena.report.data.ladder_info import LadderInfo, PublishedNight
from arena.report.data.rating_history import HistoryPoint
from arena.report.data.survey import survey_run
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.header import utc_now
from arena.store.run import Run


def ladder_info(registry: Registry, *, live: bool) -> LadderInfo:
    """What the pages show of a ladder beside its games."""
    nights = [one for one in registry.nights() if one.summary is not None]
    return LadderInfo(
        versions=registry.versions(),
        nights=tuple(map(published_night, nights)),
        last_blocks=tuple(one.summary.last for one in nights if one.summary),
        accepts_submissions=live,
    )


def published_night(night: Night) -> PublishedNight:
    """A night as the pages show it."""
    summary = night.summary
    if summary is None:
        raise ValueError(f"night {night.number} has no summary yet")
    return PublishedNight(
        number=night.number,
        began=night.began,
        ended=night.ended or utc_now(),  # a night ends when its pages are written
        blocks=summary.blocks,
        games=summary.games,
        new=summary.new,
        retired=summary.retired,
        changes=summary.moves,
        remarks=tuple(
            f"{cell} was not played: too few bots of different owners for a table"
            for cell in summary.too_large
        ),
        counted_cells=summary.counted,
    )


class LadderSite:
    """Builds the site of a ladder again and again, while it is served."""

    def __init__(self, folder: Path, *, live: bool = True) -> None:
        self.folder = folder
        self.live = live
        self.known_ratings: Sequence[HistoryPoint] = ()
        """Ratings after past nights, which do not change and are not computed again."""

    def build_site(self) -> Site:
        """The site of the ladder as it stands now."""
        with Run.open(self.folder) as run:
            survey = survey_run(
                run,
                ladder=ladder_info(Registry.of_run(run), live=self.live),
                known_history=self.known_ratings,
            )
            self.known_ratings = survey.rating_history
            return Site(Pages(survey, run.name, live=self.live))


def write_site(ladder: Ladder) -> BuiltReport:
    """Write the site into the ladder's folder."""
    with Run.open(ladder.folder) as run:
        about = ladder_info(Registry.of_run(run), live=False)
        return build_report(run, ladder.folder / SITE_FOLDER, ladder=about)


def ladder_revision(folder: Path) -> object:
    """A value that changes whenever something changes that pages show."""
    with Registry.open(folder) as registry:
        return registry.revision()
