"""Pages: what stands on each of them, rendered from a survey."""

import shlex
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

from markupsafe import escape
from msgspec import structs

from arena.games.catalog import listed
from arena.printable import file_name, to_json
from arena.ratings.crosstable import ODD, Crosstable
from arena.ratings.results import Cell
from arena.ratings.standings import Line, Standings, Table
from arena.report import figures, packs
from arena.report.certificate import KINDS, certificate, often
from arena.report.extremes import best, worst
from arena.report.figures import DRAWN
from arena.report.plots import (
    bias,
    crosstable,
    histogram,
    history,
    seats,
    spread,
    variants,
    whiskers,
)
from arena.report.remarks import STUCK, beside_whom, counted, remarks
from arena.report.scopes import Scope
from arena.report.survey import Survey
from arena.report.templating import environment

PANELS: Final = 40
"""Bots of all cells together whose points are drawn on one page; more would make it too heavy."""
NEIGHBOURS: Final = 20
CELLS: Final = 4
"""Cells whose points and seats are drawn on one page; each has a page of its own."""
ROWS: Final = 100
"""Bots that a table of standings shows: more would make a page too heavy."""
LISTED: Final = 700
"""Bots that the page of bots lists, for the same reason."""

MENU: Final = (
    ("Standings", "index.html"),
    ("Bots", "bots.html"),
    ("Seats", "seats.html"),
    ("Games", "games.html"),
    ("The run", "run.html"),
)

DOWNLOADS: Final = (
    ("standings.csv", "standings.csv", "all tables, for spreadsheets"),
    ("standings.json", "standings.json", "the same for programs, as arena standings --json has it"),
    ("crosstable.csv", "crosstable.csv", "every bot against every other"),
    ("games.csv", "games.csv", "every seat of every game"),
)


class Pages:
    """The pages of a survey."""

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
            menu=MENU,
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
        return self.survey.standings()

    @cached_property
    def crosstable(self) -> Crosstable:
        """Every bot against every other, overall."""
        return self.survey.crosstable(self.survey.scopes[0])

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The table of each scope, by its path."""
        return {path: self.survey.table(scope) for path, scope in self.scopes.items()}

    @property
    def overall(self) -> Table:
        """The table of the whole run."""
        return self.tables["index.html"]

    @cached_property
    def ranked(self) -> list[str]:
        """All bots, by rank."""
        return [line.bot for line in self.overall.lines]

    def played(self) -> str:
        """What was played, in a line."""
        survey = self.survey
        cells = [one.cell for one in survey.rated]
        names = sorted({cell.variant for cell in cells})
        sizes = sorted({cell.seats for cell in cells})
        what = names[0] if len(names) == 1 else counted(len(names), "variant")
        parts = [
            counted(len(survey.header.bots), "bot"),
            f"{what} at {listed(map(str, sizes))} seats" if sizes else "nothing played yet",
            counted(survey.blocks, "block"),
            counted(survey.games, "game"),
            f"begun {survey.header.created[:10]}",
        ]
        return " · ".join(part.replace(" ", STUCK) for part in parts)

    def front(self, scope: Scope) -> bytes:
        """The standings in some cells, and the plots that belong to them."""
        survey = self.survey
        table = self.tables[scope.path]
        whole = scope.path == "index.html"
        found = self.crosstable if whole else survey.crosstable(scope)
        fair = [one for one in survey.fairness if Cell(one.variant, one.seats) in scope.cells]
        lines = certificate(fair)
        drawn = len(scope.cells) * min(len(survey.roster.bots), DRAWN)
        few = drawn <= PANELS and len(scope.cells) <= CELLS  # one alone is always drawn
        cells = scope.cells if few else ()
        several = sum(len(one.cells) > 1 or one.path != "index.html" for one in survey.scopes) > 1
        parts = self.parts(scope)
        return self.render(
            "standings.html",
            scope.path,
            scope=scope,
            scopes=survey.scopes,
            scope_paths=self.scope_paths(),
            several=several,
            variants=sorted({cell.variant for cell in self.survey.scopes[0].cells}),
            sizes=sorted({cell.seats for cell in self.survey.scopes[0].cells}),
            played=escape(self.played()),
            table=structs.replace(table, lines=table.lines[:ROWS]),
            rows_left=max(0, len(table.lines) - ROWS),
            anchors=survey.roster.anchors,
            ratings=figures.rated(table),
            whiskers_reading=whiskers.READING,
            remarks=[escape(one) for one in remarks(self.standings, table)],
            fair=all(line.balanced for line in lines) and not survey.shared,
            certificate=lines,
            shared=survey.shared,
            commitment=survey.header.commitment,
            crosstable=figures.crossed(found) if len(found.bots) > 1 else "",
            crosstable_reading=crosstable.READING,
            left_out=max(0, len(found.bots) - figures.many(found.bots)),
            shown_bots=figures.many(found.bots),
            variant_map=figures.compared(parts, self.ranked) if len(parts) > 1 else "",
            variant_reading=variants.READING,
            history=figures.through_time(survey, self.ranked[:DRAWN])
            if whole and len(survey.courses) > 1
            else "",
            history_reading=history.READING,
            cells=[
                {
                    "title": str(cell),
                    "spread": figures.scattered(survey, cell),
                    "bias": figures.seats(survey, [cell]),
                }
                for cell in cells
            ],
            spread_reading=spread.READING,
            bias_reading=bias.READING,
            downloads=DOWNLOADS,
        )

    def bots(self) -> bytes:
        """All bots, by rank."""
        lines = self.overall.lines
        return self.render(
            "bots.html", "bots.html", lines=lines[:LISTED], more=max(0, len(lines) - LISTED)
        )

    def scope_paths(self) -> str:
        """Where the page of each variant and size is, for the filter."""
        return to_json([[one.variant, one.seats, one.path] for one in self.survey.scopes])

    def parts(self, scope: Scope) -> list[Table]:
        """The tables that a scope falls into: its variants, or else its sizes."""
        every = self.survey.scopes
        if scope.variant is not None:
            inner = [one for one in every if one.variant == scope.variant and one.seats]
        elif scope.seats is not None:
            inner = [one for one in every if one.seats == scope.seats and one.variant]
        else:
            inner = [one for one in every if one.variant and not one.seats]
            inner = inner or [one for one in every if one.seats]
        return [self.tables[one.path] for one in inner]

    def seats(self) -> bytes:
        """What a seat is worth, and how fair it was, cell by cell."""
        survey = self.survey
        beside = [
            (one, found)
            for one in survey.bias.values()
            for found in one.neighbours
            if found.sure(ODD)
        ]
        beside.sort(key=lambda pair: -abs(pair[1].effect))
        return self.render(
            "seats.html",
            "seats.html",
            fairness=[
                {
                    "cell": str(Cell(one.variant, one.seats)),
                    "bots": one.bots,
                    "blocks": one.blocks,
                    "games": one.games,
                    "balances": one.balances,
                    "efficiency": one.efficiency,
                }
                for one in survey.fairness
            ],
            whats=KINDS.values(),
            often=often,
            bias=figures.every_seat(survey),
            bias_reading=seats.READING,
            neighbours=[escape(beside_whom(*one)) for one in beside[:NEIGHBOURS]],
        )

    def bot(self, name: str) -> bytes:
        """Everything about a bot."""
        survey = self.survey
        number = survey.roster.bots.index(name)
        line = own(self.overall, name)
        times = survey.sample.times[name]
        seen = survey.sample.seen[name]
        kinds = [
            f"{count:,} {kind}" for (who, kind), count in survey.faulted.items() if who == name
        ]
        outstanding = list(survey.outstanding[number])
        in_sample = "" if survey.sample.games == survey.games else " in a sample of its games"
        return self.render(
            "bot.html",
            self.paths[name],
            bot=survey.header.bots[number],
            line=line,
            summary=escape(
                f"{counted(line.games, 'game')} in {counted(line.blocks, 'block')}".replace(
                    " ", STUCK
                )
            ),
            lines=self.lines(name),
            pairs=[pair for pair in self.crosstable.pairs if pair.row == name],
            best=best(outstanding),
            worst=worst(outstanding),
            spread=figures.scattered_over_cells(survey, name),
            spread_reading=spread.READING,
            histogram=figures.thinking(times, self.limit(), name),
            histogram_reading=histogram.READING,
            sampled=f"From {counted(sum(times.counts), 'decision')} in {counted(seen, 'game')}.",
            kinds=listed(kinds) if kinds else "",
            charges=survey.charges.get(name, ()),
            notes=survey.sample.notes[name],
            noted=survey.sample.noted[name],
            in_sample=in_sample,
        )

    def lines(self, name: str) -> list[tuple[Scope, int, Line]]:
        """How a bot stands in each part of the run where it has played, and among how many."""
        found = []
        for path, scope in self.scopes.items():
            table = self.tables[path]
            line = own(table, name)
            if line.blocks:
                found.append((scope, sum(one.rank is not None for one in table.lines), line))
        return found

    def limit(self) -> float | None:
        """What the clock gives for a decision, in microseconds."""
        clock = self.survey.header.settings.get("clock")
        seconds = clock.get("move") if isinstance(clock, dict) else None
        return 1e6 * seconds if isinstance(seconds, int | float) else None

    def games(self) -> bytes:
        """The page that lists games."""
        return self.render(
            "games.html",
            "games.html",
            games=self.survey.games,
            cells=[(str(cell), games) for cell, games in self.counts()],
            bots=self.survey.roster.bots,
        )

    def counts(self) -> list[tuple[Cell, int]]:
        """How many games each cell has."""
        return [(Cell(one.variant, one.seats), one.games) for one in self.survey.fairness]

    def game(self) -> bytes:
        """The page that replays a game."""
        return self.render("game.html", "game.html")

    def run(self) -> bytes:
        """What was asked for, and when it was played."""
        return self.render(
            "run.html",
            "run.html",
            played=escape(self.played()),
            text=self.survey.header.text,
            sessions=self.survey.sessions,
            anchors=self.survey.roster.anchors,
            commitment=self.survey.header.commitment,
        )


def own(table: Table, name: str) -> Line:
    """The line of a bot."""
    return next(line for line in table.lines if line.bot == name)
