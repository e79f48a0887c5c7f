"""The files of a report by path; each is built when it is requested."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.report.data import csv_export, game_files
from arena.report.pages.base import Pages
from arena.report.pages.bots import bot_filters, bot_list_page, bot_page
from arena.report.pages.run import games_page, nights_page, replay_page, run_page, seats_page
from arena.report.pages.standings import FULL_CROSSTABLE_BOTS, standings_page
from arena.sanitize import to_json
from arena.store.run import Run
from arena.store.search import GameFilter, GameSlice

STATIC_FOLDER = Path(__file__).parent / "static"
PACK_PATH = re.compile(r"packs/([0-9a-f]{1,16})\.js")
LIST_PATH = re.compile(r"lists/([0-9]{1,6})-([0-9]{1,9})\.js")


class PageNotFound(ArenaError):
    """A path at which the site has no file."""


class Site:
    """The files of a run's site; pages are built from a survey, game files from the run itself."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        survey = pages.survey
        self.bot_numbers = {name: number for number, name in enumerate(survey.roster.bots)}
        self.page_builders: dict[str, Callable[[], bytes]] = {
            **{
                part.path: partial(standings_page, pages, scope, part)
                for scope in survey.scopes
                for part in pages.table_pages[scope.path]
            },
            **({"nights.html": partial(nights_page, pages)} if survey.ladder else {}),
            **{
                part.path: partial(bot_list_page, pages, bot_filter, part)
                for bot_filter in bot_filters(pages)
                for part in bot_filter.parts
            },
            **{path: partial(bot_page, pages, name) for name, path in pages.bot_paths.items()},
            "seats.html": partial(seats_page, pages),
            "games.html": partial(games_page, pages),
            "game.html": partial(replay_page, pages),
            "run.html": partial(run_page, pages),
            "bots.js": lambda: game_files.assignment_script("bots", pages.bot_paths),
            "lists/index.js": lambda: game_files.game_list_index(
                pages.game_counts(), list(pages.bot_paths.items())
            ),
            "standings.json": lambda: msgspec.json.format(to_json(pages.standings)).encode(),
            "standings.csv": self.standings_csv,
            "crosstable.csv": self.crosstable_csv,
        }
        self.static_files = {
            f"static/{file.relative_to(STATIC_FOLDER).as_posix()}": file
            for file in sorted(STATIC_FOLDER.rglob("*"))
            if file.is_file()
        }

    def standings_csv(self) -> bytes:
        """All tables as CSV."""
        return csv_export.tables_csv(self.pages.tables.values(), times=True).encode()

    def crosstable_csv(self) -> bytes:
        """All pairs of bots as CSV; with very many bots only the pairs that met."""
        survey = self.pages.survey
        only_met = len(survey.listed_bots) > FULL_CROSSTABLE_BOTS
        return csv_export.crosstable_csv(
            survey.crosstable(survey.scopes[0], only_met=only_met)
        ).encode()

    def paths(self) -> Iterator[str]:
        """The paths of all files except `games.csv` and the lists of games."""
        yield from self.page_builders
        yield from self.static_files
        digits = game_files.pack_prefix_length(self.pages.survey.blocks)
        yield from (f"packs/{name}.js" for name in game_files.pack_prefixes(digits))

    def content(self, path: str, run: Run) -> bytes:
        """Build the content of a file; only files with games read the run."""
        if path in self.page_builders:
            return self.page_builders[path]()
        if path in self.static_files:
            return self.static_files[path].read_bytes()
        match = PACK_PATH.fullmatch(path)
        if match and len(match[1]) == game_files.pack_prefix_length(self.pages.survey.blocks):
            is_ladder = self.pages.survey.ladder is not None
            return game_files.pack_file(run, match[1], hide_stderr=is_ladder)
        if match := LIST_PATH.fullmatch(path):
            index, number = int(match[1]), int(match[2])
            counts = self.pages.game_counts()
            if index < len(counts) and number < game_files.game_list_count(counts[index][1]):
                games = run.games_page(
                    counts[index][0], number * game_files.GAMES_PER_LIST, game_files.GAMES_PER_LIST
                )
                return game_files.game_list_file(games, index, number, self.bot_numbers)
        raise PageNotFound(f"there is no page {path}")

    def game_lists(self, run: Run) -> Iterator[tuple[str, bytes, bytes]]:
        """Build all lists of games: path, content, and the rows of the same games for games.csv."""
        for index, (cell, _) in enumerate(self.pages.game_counts()):
            games = run.games(variant=cell.variant, seats=cell.seats)
            for number, part in enumerate(game_files.split_into_lists(games)):
                path = f"lists/{index}-{number}.js"
                content = game_files.game_list_file(part, index, number, self.bot_numbers)
                yield path, content, csv_export.games_csv(part).encode()

    def games_csv(self, open_run: Callable[[], Run]) -> Iterator[bytes]:
        """Build games.csv in parts; the run is open only while the games of a part are read."""
        yield csv_export.format_rows([csv_export.GAME_COLUMNS]).encode()
        for cell, _ in self.pages.game_counts():
            game_filter = GameFilter(variant=cell.variant, seats=cell.seats)
            game_slice: GameSlice | None = GameSlice(most=game_files.GAMES_PER_LIST)
            while game_slice:
                with open_run() as run:
                    games = run.indexed_games(game_filter, game_slice)
                if games:
                    yield csv_export.games_csv(one.game for one in games).encode()
                game_slice = (
                    GameSlice(
                        most=game_files.GAMES_PER_LIST, key=games[-1].key, turn=games[-1].turn
                    )
                    if len(games) == game_files.GAMES_PER_LIST
                    else None
                )
