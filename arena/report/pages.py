"""Pages: what all pages of a survey share, and how they are rendered."""

import shlex
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

from arena.games.catalog import listed
from arena.printable import file_name
from arena.ratings.cell import Cell
from arena.ratings.crosstable import Encounters
from arena.ratings.standings import Line, Standings, Table
from arena.report import packs
from arena.report.contest import Contest
from arena.report.paging import Part, parts
from arena.report.plots.values import STUCK, counted
from arena.report.scopes import Scope
from arena.report.survey import Survey
from arena.report.templating import environment

ROWS: Final = 100
"""Bots on a page of standings: more would make it too heavy."""
FINDABLE: Final = 20
"""From more bots than this on, pages have a field to find one."""

MENU: Final = (
    ("Standings", "index.html"),
    ("Bots", "bots.html"),
    ("Seats", "seats.html"),
    ("Games", "games.html"),
    ("The run", "run.html"),
)
LADDER: Final = (
    ("Standings", "index.html"),
    ("Nights", "nights.html"),
    *MENU[1:-1],
    ("The ladder", "run.html"),
)
SUBMIT: Final = (("Submit", "submit"), ("API", "api"))
"""Pages that are not of this site: who serves it has them."""


class Pages:
    """What the pages of a survey are made from."""

    def __init__(self, survey: Survey, folder: str, *, live: bool = False) -> None:
        self.survey = survey
        self.folder = folder
        """What the run's folder is called, for commands."""
        self.live = live
        self.paths = {
            bot.name: f"bots/{number}-{file_name(bot.name).strip('-.').lower() or 'bot'}.html"
            for number, bot in enumerate(survey.header.bots)
        }
        self.scopes = {scope.path: scope for scope in survey.scopes}
        self.environment = environment()
        self.environment.globals.update(
            name=survey.header.name,
            folder=shlex.quote(folder),
            live=live,
            made=survey.made,
            menu=menu(survey.contest),
            kind="ladder" if survey.contest else "run",
            contest=survey.contest,
            findable=len(survey.roster.bots) > FINDABLE,
            page_of=self.paths,
            prefix=packs.digits(survey.blocks),
            version=version("stichkampf"),
        )

    def render(self, template: str, path: str, **told: Any) -> bytes:
        """A page that stands at this path."""
        root = "../" * path.count("/")
        page = self.environment.get_template(template)
        return page.render(here=path, root=root, **told).encode()

    @cached_property
    def standings(self) -> Standings:
        """All tables."""
        return self.survey.standings(self.tables.values())

    @cached_property
    def encounters(self) -> Encounters:
        """Every bot against every other, overall."""
        return self.survey.encounters()

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The table of each scope, by its path."""
        return {path: self.survey.table(scope) for path, scope in self.scopes.items()}

    @cached_property
    def known(self) -> dict[str, dict[str, Line]]:
        """The line of every bot in each scope, also of those that its table leaves out."""
        return {
            path: {line.bot: line for line in self.tables[path].lines} | self.survey.others(scope)
            for path, scope in self.scopes.items()
        }

    @cached_property
    def ranks(self) -> dict[str, int]:
        """How many bots have a rank in each scope."""
        return {
            path: sum(line.rank is not None for line in table.lines)
            for path, table in self.tables.items()
        }

    @property
    def overall(self) -> Table:
        """The table of the whole run."""
        return self.tables["index.html"]

    @cached_property
    def ranked(self) -> list[str]:
        """All bots of the standings, by rank."""
        return [line.bot for line in self.overall.lines]

    @cached_property
    def parts(self) -> dict[str, list[Part]]:
        """The pages of each scope's table, which has a line for every bot of the standings."""
        rows = len(self.survey.listed)
        return {path: parts(path, scope.further, rows, ROWS) for path, scope in self.scopes.items()}

    def lines(self, name: str) -> list[tuple[Scope, int, Line]]:
        """How a bot stands in each part of the run where it has played, and among how many."""
        return [
            (scope, self.ranks[path], self.known[path][name])
            for path, scope in self.scopes.items()
            if self.known[path][name].blocks
        ]

    def counts(self) -> list[tuple[Cell, int]]:
        """How many games each cell has."""
        return [(Cell(one.variant, one.seats), one.games) for one in self.survey.fairness]

    def played(self) -> str:
        """What was played, in a line."""
        survey = self.survey
        cells = [one.cell for one in survey.rated]
        names = sorted({cell.variant for cell in cells})
        sizes = sorted({cell.seats for cell in cells})
        what = names[0] if len(names) == 1 else counted(len(names), "variant")
        parts = [
            counted(len(survey.listed), "bot"),
            *([counted(len(survey.roster.bots), "version")] if survey.contest else []),
            f"{what} at {listed(map(str, sizes))} seats" if sizes else "nothing played yet",
            counted(survey.blocks, "block"),
            counted(survey.games, "game"),
            f"begun {survey.header.created[:10]}",
        ]
        return " · ".join(part.replace(" ", STUCK) for part in parts)


def menu(contest: Contest | None) -> tuple[tuple[str, str], ...]:
    """The pages that every page leads to."""
    if contest is None:
        return MENU
    return (*LADDER, *SUBMIT) if contest.submit else LADDER
