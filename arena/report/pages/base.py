"""What all pages of a report share: tables, paths, menu, rendering and pagination."""

import shlex
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final, NamedTuple, TypeVar

from arena.ratings.cell import Cell
from arena.ratings.crosstable import Encounters
from arena.ratings.standings import Standings, StandingsLine, StandingsTable
from arena.report.data import game_files
from arena.report.data.ladder_info import LadderInfo
from arena.report.data.survey import StandingsScope, Survey
from arena.report.pages.templating import create_environment
from arena.report.plots.text import NBSP
from arena.sanitize import safe_file_name
from arena.text import english_list, plural

Row = TypeVar("Row")
STANDINGS_ROWS_PER_PAGE: Final = 100
"""Bots on a page of standings; more would load slowly."""
MIN_BOTS_FOR_SEARCH: Final = 20
"""With more bots than this, pages have a search field."""
RUN_MENU: Final = (
    ("Standings", "index.html"),
    ("Bots", "bots.html"),
    ("Seats", "seats.html"),
    ("Games", "games.html"),
    ("The run", "run.html"),
)
LADDER_MENU: Final = (
    ("Standings", "index.html"),
    ("Nights", "nights.html"),
    *RUN_MENU[1:-1],
    ("The ladder", "run.html"),
)
SUBMIT_MENU: Final = (("Submit", "submit"), ("API", "api"))
"""Pages of the server, which are not in the site."""


class TablePage(NamedTuple):
    """One page of a table."""

    number: int
    """From 1."""
    paths: Sequence[str]
    """The paths of all pages of the table."""
    first: int
    """The first row of this page, from 0, and the first row after it."""
    end: int
    rows: int
    """Of all pages together."""

    @property
    def path(self) -> str:
        """The path of this page."""
        return self.paths[self.number - 1]

    @property
    def has_other_pages(self) -> bool:
        """Whether the table has other pages."""
        return len(self.paths) > 1

    def select(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Select the rows of this page."""
        return rows[self.first : self.end]


def table_pages(first_path: str, path_stem: str, rows: int, rows_per_page: int) -> list[TablePage]:
    """Split a table into pages; the paths of further pages end in their numbers."""
    count = max(1, -(-rows // rows_per_page))
    paths = [first_path, *(f"{path_stem}-{number}.html" for number in range(2, count + 1))]
    return [
        TablePage(
            number, paths, rows_per_page * (number - 1), min(rows, rows_per_page * number), rows
        )
        for number in range(1, count + 1)
    ]


class Pages:
    """What all pages of a site share: survey, tables, paths and templates."""

    def __init__(self, survey: Survey, folder_name: str, *, live: bool = False) -> None:
        self.survey = survey
        self.folder_name = folder_name
        """The name of the run's folder, for the commands on the pages."""
        self.bot_paths = {
            bot.name: f"bots/{number}-{safe_file_name(bot.name).strip('-.').lower() or 'bot'}.html"
            for number, bot in enumerate(survey.header.bots)
        }
        self.scopes = {scope.path: scope for scope in survey.scopes}
        self.environment = create_environment()
        self.environment.globals.update(
            name=survey.header.name,
            folder=shlex.quote(folder_name),
            live=live,
            made=survey.computed_at,
            menu=menu_links(survey.ladder),
            kind="ladder" if survey.ladder else "run",
            contest=survey.ladder,
            findable=len(survey.roster.bots) > MIN_BOTS_FOR_SEARCH,
            page_of=self.bot_paths,
            prefix=game_files.pack_prefix_length(survey.blocks),
            version=version("stichkampf"),
        )

    def render(self, template: str, path: str, **values: Any) -> bytes:
        """Render the page at a path."""
        root = "../" * path.count("/")
        page = self.environment.get_template(template)
        return page.render(here=path, root=root, **values).encode()

    @cached_property
    def standings(self) -> Standings:
        """All tables, as `standings.json` has them."""
        return self.survey.standings(self.tables.values())

    @cached_property
    def encounters(self) -> Encounters:
        """The results of all pairs of bots overall."""
        return self.survey.encounters()

    @cached_property
    def tables(self) -> dict[str, StandingsTable]:
        """The table of each scope, by the path of its page."""
        return {path: self.survey.table(scope) for path, scope in self.scopes.items()}

    @cached_property
    def lines_by_bot(self) -> dict[str, dict[str, StandingsLine]]:
        """The line of each bot in each scope, including bots that the tables leave out."""
        return {
            path: {line.bot: line for line in self.tables[path].lines}
            | self.survey.unlisted_lines(scope)
            for path, scope in self.scopes.items()
        }

    @cached_property
    def ranked_counts(self) -> dict[str, int]:
        """The number of bots with a rank in each scope."""
        return {
            path: sum(line.rank is not None for line in table.lines)
            for path, table in self.tables.items()
        }

    @property
    def overall(self) -> StandingsTable:
        """The table of the whole run."""
        return self.tables["index.html"]

    @cached_property
    def bots_by_rank(self) -> list[str]:
        """All bots of the standings, by rank."""
        return [line.bot for line in self.overall.lines]

    @cached_property
    def table_pages(self) -> dict[str, list[TablePage]]:
        """The pages of the table of each scope."""
        rows = len(self.survey.listed_bots)
        return {
            path: table_pages(path, scope.path_stem, rows, STANDINGS_ROWS_PER_PAGE)
            for path, scope in self.scopes.items()
        }

    def bot_lines(self, name: str) -> list[tuple[StandingsScope, int, StandingsLine]]:
        """The scopes in which a bot has played, with the count of ranked bots and its line."""
        return [
            (scope, self.ranked_counts[path], self.lines_by_bot[path][name])
            for path, scope in self.scopes.items()
            if self.lines_by_bot[path][name].blocks
        ]

    def game_counts(self) -> list[tuple[Cell, int]]:
        """The number of games in each cell."""
        return [(Cell(one.variant, one.seats), one.games) for one in self.survey.fairness]

    def summary(self) -> str:
        """One line on what was played."""
        survey = self.survey
        cells = [one.cell for one in survey.rated_cells]
        names = sorted({cell.variant for cell in cells})
        sizes = sorted({cell.seats for cell in cells})
        what = names[0] if len(names) == 1 else plural(len(names), "variant")
        parts = [
            plural(len(survey.listed_bots), "bot"),
            *([plural(len(survey.roster.bots), "version")] if survey.ladder else []),
            f"{what} at {english_list(map(str, sizes))} seats" if sizes else "nothing played yet",
            plural(survey.blocks, "block"),
            plural(survey.games, "game"),
            f"begun {survey.header.created[:10]}",
        ]
        return " · ".join(part.replace(" ", NBSP) for part in parts)


def menu_links(ladder: LadderInfo | None) -> tuple[tuple[str, str], ...]:
    """The links in the menu of every page."""
    if ladder is None:
        return RUN_MENU
    return (*LADDER_MENU, *SUBMIT_MENU) if ladder.accepts_submissions else LADDER_MENU
