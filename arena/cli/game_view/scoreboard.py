"""Tables with the scores of a round and of the whole game."""

from collections import Counter
from collections.abc import Callable, Sequence

from rich.table import Table
from rich.text import Text

from arena.cards import COLOURS
from arena.cli.game_view.cards import SEAT_STYLE, SeatLabels, card_text, colour_text, join_texts
from arena.cli.game_view.table import VisibleTable
from arena.games.events import Scored
from arena.referee.faults import Fault

SeatText = Callable[[int], Text]
"""Returns the cell of a column for a seat."""


def round_table(labels: SeatLabels, table: VisibleTable, scored: Scored) -> Table:
    """The points of a round, what they are for, and the totals, one row for each seat."""
    best = max(scored.scores)
    columns: list[tuple[str, SeatText]] = [
        ("round", lambda seat: points_text(scored.points[seat])),
        ("total", lambda seat: total_text(scored.scores[seat], leads=scored.scores[seat] == best)),
        ("tricks", lambda seat: Text(str(table.trick_counts[seat]))),
    ]
    if table.tasks:
        columns.append(("left", lambda seat: Text(str(len(table.tokens[seat])))))
    board = seat_table(labels, columns)
    for title, text_of in reason_columns(table):
        board.add_column(title)
        columns.append((title, text_of))
    for seat in range(labels.seats):
        board.add_row(*seat_cells(labels, seat), *(text_of(seat) for _, text_of in columns))
    return board


def seat_table(labels: SeatLabels, columns: Sequence[tuple[str, SeatText]]) -> Table:
    """An empty table with columns for the seat, the bot and these numbers."""
    board = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    board.add_column("seat", style=SEAT_STYLE, justify="right")
    board.add_column("bot", no_wrap=True, overflow="ellipsis", min_width=min(labels.name_width, 4))
    for title, _ in columns:
        board.add_column(title, justify="right")
    return board


def seat_cells(labels: SeatLabels, seat: int, style: str = "") -> tuple[Text, Text]:
    """The number and the name of a seat."""
    return Text(str(seat), style), Text(labels.name(seat, 24), style)


def reason_columns(table: VisibleTable) -> list[tuple[str, SeatText]]:
    """The columns that explain the points, chosen by what happened in the round."""
    if table.special_colours:
        return [
            (
                "special",
                lambda seat: join_texts(map(colour_text, table.special_colours.get(seat, ()))),
            ),
            ("cards of it", lambda seat: join_texts(map(card_text, table.special_cards(seat)))),
        ]
    if table.tasks:
        return [("task", lambda seat: task_text(table, seat))]
    return [("won", lambda seat: won_text(table, seat))]


def won_text(table: VisibleTable, seat: int) -> Text:
    """The cards of each colour that a seat has won, and how often it passed."""
    count = Counter(token[0] for token in table.won_cards[seat])
    parts = [colour_text(letter, count[letter]) for letter in COLOURS if count[letter]]
    if table.pass_counts[seat]:
        parts.append(Text(f"{table.pass_counts[seat]} passed", "dim"))
    return join_texts(parts)


def task_text(table: VisibleTable, seat: int) -> Text:
    """The result of a seat's task; the dealer has no task, but may discard a token."""
    if seat in table.judged_tasks:
        fulfilled = table.judged_tasks[seat].fulfilled
        result = ("fulfilled", "green") if fulfilled else ("missed", "red")
        return Text.assemble(table.tasks[seat], " ", result)
    if seat in table.discarded_tokens:
        return Text.assemble("dealer, discards ", table.discarded_tokens[seat])
    return Text("dealer", "dim")


def points_text(number: int) -> Text:
    """The points of one round, with their sign."""
    style = "green" if number > 0 else "red" if number < 0 else "dim"
    return Text(f"{number:+d}" if number else "0", style)


def total_text(number: int, *, leads: bool) -> Text:
    """The points of all rounds."""
    return Text(str(number), "bold" if leads else "")


def final_table(
    labels: SeatLabels, scores: Sequence[int], ranks: Sequence[int], faults: Sequence[Fault]
) -> Table:
    """The ranks and scores at the end of the game."""
    count = Counter(fault.seat for fault in faults)
    board = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    board.add_column("rank", justify="right")
    board.add_column("seat", style=SEAT_STYLE, justify="right")
    board.add_column("bot", overflow="ellipsis", no_wrap=True)
    board.add_column("score", justify="right")
    if count:
        board.add_column("faults", justify="right", style="red")
    for seat in sorted(range(labels.seats), key=lambda seat: (ranks[seat], seat)):
        style = "bold" if ranks[seat] == 1 else ""
        row = [Text(str(ranks[seat]), style), *seat_cells(labels, seat, style)]
        row.append(Text(str(scores[seat]), style))
        if count:
            row.append(Text(str(count[seat] or "")))
        board.add_row(*row)
    return board
