"""The telling: a ladder's pages, from its run and what its registry knows."""

from collections.abc import Sequence
from pathlib import Path

from arena.ladder.facts import Night as Played
from arena.ladder.facts import Version as Known
from arena.ladder.folder import SITE, Ladder
from arena.ladder.registry import Registry, now
from arena.report.build import Built, Tick, build
from arena.report.contest import Change, Contest, Night, Version
from arena.report.courses import Moment
from arena.report.pages import Pages
from arena.report.site import Site
from arena.report.survey import survey
from arena.store.database import explained
from arena.store.run import Run


def contest(registry: Registry, *, live: bool) -> Contest:
    """What pages tell of a ladder beside its games."""
    nights = [one for one in registry.nights() if one.summary is not None]
    return Contest(
        versions=tuple(map(version, registry.versions())),
        nights=tuple(map(night, nights)),
        ends=tuple(one.summary.last for one in nights if one.summary),
        submit=live,
    )


def version(known: Known) -> Version:
    """A version as pages tell of it."""
    return Version(
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


def night(played: Played) -> Night:
    """A night as pages tell of it."""
    summary = played.summary
    if summary is None:
        raise ValueError("a night is told of once it is summed up")
    return Night(
        number=played.number,
        began=played.began,
        ended=played.ended or now(),  # its pages are the last thing that is left to do
        blocks=summary.blocks,
        games=summary.games,
        new=summary.new,
        retired=summary.retired,
        changes=tuple(
            Change(one.bot, one.before, one.after, one.mu_before, one.mu_after)
            for one in summary.moves
        ),
        remarks=tuple(
            f"{cell} was not played: too few bots of different owners for a table"
            for cell in summary.too_large
        ),
        counted=summary.counted,
    )


def same(run: Run) -> Registry:
    """The registry as it stands in the snapshot of a run, so that both know the same bots."""
    return Registry(run.file, run.connection)


class Narrator:
    """Tells of the ladder in a folder again and again, while it is served."""

    def __init__(self, folder: Path, *, live: bool = True) -> None:
        self.folder = folder
        self.live = live
        self.known: Sequence[Moment] = ()
        """Ratings after nights that were told before, which do not change."""

    def site(self) -> Site:
        """The site of the ladder as it stands now."""
        with Run.open(self.folder) as run:
            told = survey(run, contest=contest(same(run), live=self.live), known=self.known)
            self.known = told.courses
            return Site(Pages(told, run.name, live=self.live))


def written(ladder: Ladder, tick: Tick = lambda *_: None) -> Built:
    """Write the site into the ladder's folder."""
    with Run.open(ladder.folder) as run:
        told = survey(run, contest=contest(same(run), live=False))
        return build(run, told, ladder.folder / SITE, tick)


def mark(folder: Path) -> object:
    """What changes whenever something has changed that pages show."""
    with Registry.open(folder) as registry, explained(registry.file):
        return registry.connection.execute(
            "SELECT (SELECT coalesce(max(id), 0) FROM block), (SELECT count(*) FROM version),"
            " (SELECT count(*) FROM version WHERE state = 'active'),"
            " (SELECT count(*) FROM night WHERE summary IS NOT NULL),"
            " (SELECT count(*) FROM night WHERE ended IS NOT NULL)"
        ).fetchone()
