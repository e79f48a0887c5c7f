"""A site: all its files by their paths, each made when it is asked for."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.printable import to_json
from arena.report import background, lists, packs, sheets
from arena.report.directory import choices, directory
from arena.report.fronts import SQUARE, front
from arena.report.nights import nights
from arena.report.pages import Pages
from arena.report.profiles import profile
from arena.report.scripts import assign
from arena.store.listing import Portion, Wanted
from arena.store.run import Run

STATIC = Path(__file__).parent / "static"
PACK = re.compile(r"packs/([0-9a-f]{1,16})\.js")
LIST = re.compile(r"lists/([0-9]{1,6})-([0-9]{1,9})\.js")


class NoPage(ArenaError):
    """A path at which the site has nothing."""


class Site:
    """The files of a run's site; pages come from a survey, games from the run itself."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        survey = pages.survey
        self.numbers = {name: number for number, name in enumerate(survey.roster.bots)}
        self.made: dict[str, Callable[[], bytes]] = {
            **{
                part.path: partial(front, pages, scope, part)
                for scope in survey.scopes
                for part in pages.parts[scope.path]
            },
            **({"nights.html": partial(nights, pages)} if survey.contest else {}),
            **{
                part.path: partial(directory, pages, choice, part)
                for choice in choices(pages)
                for part in choice.parts
            },
            **{path: partial(profile, pages, name) for name, path in pages.paths.items()},
            "seats.html": partial(background.seats, pages),
            "games.html": partial(background.games, pages),
            "game.html": partial(background.game, pages),
            "run.html": partial(background.run, pages),
            "bots.js": lambda: assign("bots", pages.paths),
            "lists/index.js": lambda: lists.index(pages.counts(), list(pages.paths.items())),
            "standings.json": lambda: msgspec.json.format(to_json(pages.standings)).encode(),
            "standings.csv": self.standings_sheet,
            "crosstable.csv": self.crosstable_sheet,
        }
        self.static = {
            f"static/{file.relative_to(STATIC).as_posix()}": file
            for file in sorted(STATIC.rglob("*"))
            if file.is_file()
        }

    def standings_sheet(self) -> bytes:
        """All tables as a sheet."""
        return sheets.tables_sheet(self.pages.tables.values(), times=True).encode()

    def crosstable_sheet(self) -> bytes:
        """Every two bots as a sheet; of very many those only that met."""
        survey = self.pages.survey
        met = len(survey.listed) > SQUARE
        return sheets.crosstable_sheet(survey.crosstable(survey.scopes[0], met=met)).encode()

    def paths(self) -> Iterator[str]:
        """Every file of the site but those with lists of games."""
        yield from self.made
        yield from self.static
        digits = packs.digits(self.pages.survey.blocks)
        yield from (f"packs/{name}.js" for name in packs.names(digits))

    def content(self, path: str, run: Run) -> bytes:
        """What a file holds; the run is asked for games only."""
        if path in self.made:
            return self.made[path]()
        if path in self.static:
            return self.static[path].read_bytes()
        found = PACK.fullmatch(path)
        if found and len(found[1]) == packs.digits(self.pages.survey.blocks):
            hidden = self.pages.survey.contest is not None
            return packs.pack(run, found[1], hidden=hidden)
        if found := LIST.fullmatch(path):
            place, number = int(found[1]), int(found[2])
            counts = self.pages.counts()
            if place < len(counts) and number < lists.files(counts[place][1]):
                games = run.page(counts[place][0], number * lists.AT_ONCE, lists.AT_ONCE)
                return lists.part(games, place, number, self.numbers)
        raise NoPage(f"there is no page {path}")

    def listed(self, run: Run) -> Iterator[tuple[str, bytes, bytes]]:
        """The lists of games: of each its path, what it holds, and the same games for games.csv."""
        for place, (cell, _) in enumerate(self.pages.counts()):
            games = run.games(variant=cell.variant, seats=cell.seats)
            for number, some in enumerate(lists.batches(games)):
                path = f"lists/{place}-{number}.js"
                told = lists.part(some, place, number, self.numbers)
                yield path, told, sheets.games_sheet(some).encode()

    def games_sheet(self, opened: Callable[[], Run]) -> Iterator[bytes]:
        """Every seat of every game as a sheet; the run is open only while some games are read."""
        yield sheets.write([sheets.GAME]).encode()
        for cell, _ in self.pages.counts():
            wanted = Wanted(variant=cell.variant, seats=cell.seats)
            portion: Portion | None = Portion(most=lists.AT_ONCE)
            while portion:
                with opened() as run:
                    found = run.search(wanted, portion)
                if found:
                    yield sheets.games_sheet(one.game for one in found).encode()
                portion = (
                    Portion(most=lists.AT_ONCE, key=found[-1].key, turn=found[-1].turn)
                    if len(found) == lists.AT_ONCE
                    else None
                )
