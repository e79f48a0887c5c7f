"""The files of a report by path; each is built when it is requested."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.report.data import csv_export, game_files
from arena.report.data.game_files import assign_script
from arena.report.pages import run as pages_run
from arena.report.pages.base import Pages
from arena.report.pages.bots import bot_filters, bot_list_page, bot_page
from arena.report.pages.run import nights_page
from arena.report.pages.standings import FULL_CROSSTABLE_BOTS, standings_page
from arena.sanitize import to_json
from arena.store.run import Run
from arena.store.search import GameFilter, GameSlice

STATIC = Path(__file__).parent / "static"
PACK = re.compile(r"packs/([0-9a-f]{1,16})\.js")
LIST = re.compile(r"lists/([0-9]{1,6})-([0-9]{1,9})\.js")


class PageNotFound(ArenaError):
    """A path at which the site has nothing."""


class Site:
    """The files of a run's site; pages come from a survey, games from the run itself."""

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
                part.path: partial(bot_list_page, pages, choice, part)
                for choice in bot_filters(pages)
                for part in choice.parts
            },
            **{path: partial(bot_page, pages, name) for name, path in pages.bot_paths.items()},
            "seats.html": partial(pages_run.seats_page, pages),
            "games.html": partial(pages_run.games_page, pages),
            "game.html": partial(pages_run.replay_page, pages),
            "run.html": partial(pages_run.run_page, pages),
            "bots.js": lambda: assign_script("bots", pages.bot_paths),
            "lists/index.js": lambda: game_files.list_index(
                pages.game_counts(), list(pages.bot_paths.items())
            ),
            "standings.json": lambda: msgspec.json.format(to_json(pages.standings)).encode(),
            "standings.csv": self.standings_csv,
            "crosstable.csv": self.crosstable_csv,
        }
        self.static_files = {
            f"static/{file.relative_to(STATIC).as_posix()}": file
            for file in sorted(STATIC.rglob("*"))
            if file.is_file()
        }

    def standings_csv(self) -> bytes:
        """All tables as a sheet."""
        return csv_export.tables_csv(self.pages.tables.values(), times=True).encode()

    def crosstable_csv(self) -> bytes:
        """Every two bots as a sheet; of very many those only that met."""
        survey = self.pages.survey
        met = len(survey.listed_bots) > FULL_CROSSTABLE_BOTS
        return csv_export.crosstable_csv(survey.crosstable(survey.scopes[0], only_met=met)).encode()

    def paths(self) -> Iterator[str]:
        """Every file of the site but those with lists of games."""
        yield from self.page_builders
        yield from self.static_files
        digits = game_files.prefix_length(self.pages.survey.blocks)
        yield from (f"packs/{name}.js" for name in game_files.pack_prefixes(digits))

    def content(self, path: str, run: Run) -> bytes:
        """What a file holds; the run is asked for games only."""
        if path in self.page_builders:
            return self.page_builders[path]()
        if path in self.static_files:
            return self.static_files[path].read_bytes()
        found = PACK.fullmatch(path)
        if found and len(found[1]) == game_files.prefix_length(self.pages.survey.blocks):
            hidden = self.pages.survey.ladder is not None
            return game_files.pack_file(run, found[1], hide_stderr=hidden)
        if found := LIST.fullmatch(path):
            place, number = int(found[1]), int(found[2])
            counts = self.pages.game_counts()
            if place < len(counts) and number < game_files.list_count(counts[place][1]):
                games = run.games_page(
                    counts[place][0], number * game_files.GAMES_PER_LIST, game_files.GAMES_PER_LIST
                )
                return game_files.list_file(games, place, number, self.bot_numbers)
        raise PageNotFound(f"there is no page {path}")

    def game_lists(self, run: Run) -> Iterator[tuple[str, bytes, bytes]]:
        """The lists of games: of each its path, what it holds, and the same games for games.csv."""
        for place, (cell, _) in enumerate(self.pages.game_counts()):
            games = run.games(variant=cell.variant, seats=cell.seats)
            for number, some in enumerate(game_files.split_games(games)):
                path = f"lists/{place}-{number}.js"
                told = game_files.list_file(some, place, number, self.bot_numbers)
                yield path, told, csv_export.games_csv(some).encode()

    def games_csv(self, open_run: Callable[[], Run]) -> Iterator[bytes]:
        """Every seat of every game as a sheet; the run is open only while some games are read."""
        yield csv_export.format_rows([csv_export.GAME_COLUMNS]).encode()
        for cell, _ in self.pages.game_counts():
            wanted = GameFilter(variant=cell.variant, seats=cell.seats)
            portion: GameSlice | None = GameSlice(most=game_files.GAMES_PER_LIST)
            while portion:
                with open_run() as run:
                    found = run.indexed_games(wanted, portion)
                if found:
                    yield csv_export.games_csv(one.game for one in found).encode()
                portion = (
                    GameSlice(
                        most=game_files.GAMES_PER_LIST, key=found[-1].key, turn=found[-1].turn
                    )
                    if len(found) == game_files.GAMES_PER_LIST
                    else None
                )
