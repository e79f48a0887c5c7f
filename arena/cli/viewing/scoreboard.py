"""Scores in small tables: those of a round, and those of the whole game."""

from collections import Counter
from collections.abc import Callable, Sequence

from rich.table import Table
from rich.text import Text

from arena.cards import COLOURS
from arena.cli.viewing.faces import card, colour, joined
from arena.cli.viewing.seating import NUMBER_STYLE, Seating
from arena.cli.viewing.tabletop import Tabletop
from arena.games.events import Scored
from arena.match.faults import Fault

Tell = Callable[[int], Text]
"""What a column says of a seat."""


def round_scores(seating: Seating, table: Tabletop, scored: Scored) -> Table:
    """What a round brought each seat, what for, and how they stand."""
    best = max(scored.scores)
    columns: list[tuple[str, Tell]] = [
        ("round", lambda seat: points(scored.points[seat])),
        ("total", lambda seat: total(scored.scores[seat], leads=scored.scores[seat] == best)),
        ("tricks", lambda seat: Text(str(table.tricks[seat]))),
    ]
    if table.tasks:
        columns.append(("left", lambda seat: Text(str(len(table.tokens[seat])))))
    board = lines(seating, columns)
    for title, tell in reasons(table):
        board.add_column(title)
        columns.append((title, tell))
    for seat in range(seating.seats):
        board.add_row(*named(seating, seat), *(tell(seat) for _, tell in columns))
    return board


def lines(seating: Seating, columns: Sequence[tuple[str, Tell]]) -> Table:
    """A table with a line for each seat, and numbers in these columns."""
    board = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    board.add_column("seat", style=NUMBER_STYLE, justify="right")
    board.add_column("bot", no_wrap=True, overflow="ellipsis", min_width=min(seating.longest, 4))
    for title, _ in columns:
        board.add_column(title, justify="right")
    return board


def named(seating: Seating, seat: int, style: str = "") -> tuple[Text, Text]:
    """The number and the name of a seat."""
    return Text(str(seat), style), Text(seating.name(seat, 24), style)


def reasons(table: Tabletop) -> list[tuple[str, Tell]]:
    """What the points are for, by what was seen in the round."""
    if table.special:
        return [
            ("special", lambda seat: joined(map(colour, table.special.get(seat, ())))),
            ("cards of it", lambda seat: joined(map(card, table.special_cards(seat)))),
        ]
    if table.tasks:
        return [("task", lambda seat: task(table, seat))]
    return [("won", lambda seat: won(table, seat))]


def won(table: Tabletop, seat: int) -> Text:
    """How many cards of each colour a seat has won, and how often it passed."""
    count = Counter(token[0] for token in table.won[seat])
    parts = [colour(letter, count[letter]) for letter in COLOURS if count[letter]]
    if table.passed[seat]:
        parts.append(Text(f"{table.passed[seat]} passed", "dim"))
    return joined(parts)


def task(table: Tabletop, seat: int) -> Text:
    """What became of a seat's task; the dealer has none, and may discard all the same."""
    if seat in table.judged:
        fulfilled = table.judged[seat].fulfilled
        found = ("fulfilled", "green") if fulfilled else ("missed", "red")
        return Text.assemble(table.tasks[seat], " ", found)
    if seat in table.discards:
        return Text.assemble("dealer, discards ", table.discards[seat])
    return Text("dealer", "dim")


def points(number: int) -> Text:
    """The points of one round, with their sign."""
    style = "green" if number > 0 else "red" if number < 0 else "dim"
    return Text(f"{number:+d}" if number else "0", style)


def total(number: int, *, leads: bool) -> Text:
    """The points of all rounds."""
    return Text(str(number), "bold" if leads else "")


def final_scores(
    seating: Seating, scores: Sequence[int], ranks: Sequence[int], faults: Sequence[Fault]
) -> Table:
    """Who came where."""
    count = Counter(fault.seat for fault in faults)
    board = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    board.add_column("rank", justify="right")
    board.add_column("seat", style=NUMBER_STYLE, justify="right")
    board.add_column("bot", overflow="ellipsis", no_wrap=True)
    board.add_column("score", justify="right")
    if count:
        board.add_column("faults", justify="right", style="red")
    for seat in sorted(range(seating.seats), key=lambda seat: (ranks[seat], seat)):
        style = "bold" if ranks[seat] == 1 else ""
        row = [Text(str(ranks[seat]), style), *named(seating, seat, style)]
        row.append(Text(str(scores[seat]), style))
        if count:
            row.append(Text(str(count[seat] or "")))
        board.add_row(*row)
    return board
