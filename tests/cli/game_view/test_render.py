"""A game in the terminal: complete, in order, harmless, and as wide as the terminal."""

import re
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from arena.cli.game_view.event_tracker import Excerpt
from arena.cli.game_view.render import RENDERERS, GameRenderer
from arena.games import events
from arena.games.events import Passed, Played, SetAside, Took
from arena.games.replay import replay_game
from arena.referee.faults import Fault
from arena.referee.record import Record
from tests.cli.records import NAMES, random_record
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

TABLES = [
    ("sticheln", 4),
    ("sticheln", 8),
    ("sticheln+reverse+aggravated+hazy", 7),
    ("sticheln+mild+aggravated+delayed", 3),
    ("stick-em+hazy", 6),
    ("stick-em+delayed", 5),
    ("hat-trick", 4),
    ("hat-trick", 7),
    ("was-sticht", 3),
    ("was-sticht", 4),
]

WIDTHS = (60, 80, 160)
CELL = re.compile(r"(\d)(?: \w+)?[ !]*([BNGERVY]\d+)([*×]?)")


def render_game(
    record: Record,
    width: int = 80,
    from_seat: int | None = None,
    *,
    excerpt: Excerpt | None = None,
    terminal: bool = False,
    live: bool = False,
    no_color: bool = False,
) -> str:
    """The game as it is printed."""
    console = Console(
        file=StringIO(),
        width=width,
        highlight=False,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
        no_color=no_color,
    )
    names = [bot.name for bot in record.bots]
    scene = GameRenderer(console, names, from_seat, excerpt=excerpt, live=live)
    with console.capture() as capture:
        for step in replay_game(record):
            scene.show_step(step, notes=record.notes, faults=record.faults, wall=record.wall)
    return capture.get()


def trick_lines(text: str) -> list[list[tuple[int, str, str]]]:
    """Seat, card and sign of each card, line by line; columns of a draft are left out."""
    lines = re.findall(r"^ ?\d+  (?=\d)(?!.*hint)(.*)$", text, re.MULTILINE)
    return [[(int(s), card, sign) for s, card, sign in CELL.findall(line)] for line in lines]


def tricks(record: Record) -> list[list[tuple[int, str, str]]]:
    """The same, from the events."""
    found: list[list[tuple[int, str, str]]] = []
    over = True
    for step in replay_game(record):
        for event in step.events():
            match event:
                case Played(seat=seat, card=card) | Passed(seat=seat, card=card):
                    if over:
                        found.append([])
                    over = False
                    found[-1].append((seat, card, "×" if isinstance(event, Passed) else ""))
                case Took(seat=taker):
                    over = True
                    found[-1] = [
                        (seat, card, "*" if seat == taker else sign)
                        for seat, card, sign in found[-1]
                    ]
                case SetAside():
                    over = True
    return found


def test_every_event_is_shown() -> None:
    kinds = {
        kind
        for kind in vars(events).values()
        if isinstance(kind, type) and issubclass(kind, events.Event)
    }
    assert set(RENDERERS) == kinds - {events.Event, events.Ended}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seats", "width"),
    [  # in `make test` each table once, on one width after the other
        (*table, width) if number % len(WIDTHS) == place else soak_only((*table, width))
        for number, table in enumerate(TABLES)
        for place, width in enumerate(WIDTHS)
    ],
)
def test_a_line_a_trick(name: str, seats: int, width: int) -> None:
    record = random_record(name, seats)
    text = render_game(record, width)
    assert trick_lines(text) == tricks(record)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert len(re.findall("━━ Round", text)) == len(re.findall(r"seat +bot +round", text))
    last = text[text.index("━━ The end") :].splitlines()[2:]
    found = sorted(zip(record.ranks, range(seats), NAMES, record.scores, strict=False))
    assert [tuple(line.split()) for line in last] == [tuple(map(str, row)) for row in found]


@pytest.mark.parametrize("width", [20, soak_only(40), soak_only(59)])
@pytest.mark.parametrize(("name", "seats"), [("sticheln", 8), ("was-sticht", 3)])
def test_a_narrow_terminal_does_no_harm(name: str, seats: int, width: int) -> None:
    record = random_record(name, seats, notes={3: "narrow"}, faults=(Fault(0, "illegal", "no", 4),))
    played = [card for trick in tricks(record) for _, card, _ in trick]
    assert set(played) <= set(re.findall(r"[BNGERVY]\d+", render_game(record, width)))
    assert render_game(record, 1)


LONG = ("a name that is far too long to be printed", "東京東京東京東京東京東京", "", "🙂" * 20)


@pytest.mark.parametrize("width", [60, 100])
def test_names_are_cut(width: int) -> None:
    text = render_game(random_record("sticheln", 4, names=LONG), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" in text


def test_hands_and_special_colours() -> None:
    record = random_record("sticheln", 3)
    text = render_game(record)
    first = next(iter(replay_game(record))).after
    for seat, hand in enumerate(first.hands):
        assert f"\n  {seat} {NAMES[seat]:<4}  {' '.join(hand)}\n" in text
    a, b, c = record.choices[:3]
    assert f"\n  designated  0 ann {a}   1 bob {b}   2 cleo {c}\n" in text


def test_points() -> None:
    record = random_record("sticheln", 3)
    scored = next(
        e for s in replay_game(record) for e in s.events() if isinstance(e, events.Scored)
    )
    rows = re.findall(
        r"^ +(\d)  (?:ann|bob|cleo) +([+-]?\d+) +(-?\d+) ", render_game(record), re.MULTILINE
    )
    wanted = [(str(s), f"{p:+d}" if p else "0", str(p)) for s, p in enumerate(scored.points)]
    assert rows[:3] == wanted


def test_was_sticht() -> None:
    record = random_record("was-sticht", 3)
    text = render_game(record)
    assert len(re.findall(r"^ {3}taken  0 ann ", text, re.MULTILINE)) == 5
    rounds = len(re.findall("━━ Round", text))
    assert len(re.findall("hint → ", text)) == 9 * rounds
    assert len(re.findall(r"3 ghost +[BGRY]\d", text)) == 9 * rounds
    judged = [
        event
        for step in replay_game(record)
        for event in step.events()
        if isinstance(event, events.TaskJudged)
    ]
    for event in judged:
        found = "fulfilled" if event.fulfilled else "missed"
        assert re.search(rf"{event.seat}  {NAMES[event.seat]} .* {event.task} {found}", text)
    assert text.count("fulfilled") == sum(event.fulfilled for event in judged)
    assert text.count("missed") == sum(not event.fulfilled for event in judged)


def test_a_seat_sees_its_own() -> None:
    faults = (Fault(1, "illegal", "it is wrong", 5), Fault(2, "illegal", "it is odd", 6))
    notes = {0: "secret of ann", 2: "thought of cleo"}
    record = random_record("sticheln+hazy", 4, faults=faults, notes=notes)
    steps = list(replay_game(record))
    seats = [d.seat for step in steps[1:] for d in step.game.pending(step.before)]
    assert seats[:7] == [0, 1, 2, 3, 0, 1, 2]
    text = render_game(record, from_seat=2)
    play = text[: text.index("turned up")]
    hands = re.findall(r"^  (\d) \w+  ", play, re.MULTILINE)
    assert hands == ["2"]
    assert f"designated, face down  2 cleo {record.choices[2]}\n" in play
    assert not any(f" {record.choices[seat]} " in play for seat in (0, 1, 3))
    assert "thought of cleo" in play
    assert "secret" not in play
    assert "it is odd" in play
    assert "it is wrong" not in play
    assert "1 bob  !" not in play


def test_faults() -> None:
    """A stand-in is marked and explained; who is out for the game is marked to its end."""
    faults = (
        Fault(1, "start", "it never said 'ready'"),
        Fault(0, "illegal", "'Z9' is none of the options", 4),
    )
    record = random_record("sticheln", 4, faults=faults)
    text = render_game(record)
    assert "    1 bob  ! start: it never said 'ready'\n" in text
    chosen = f"; the referee chose {record.choices[4]}\n"
    assert f"! illegal: 'Z9' is none of the options{chosen}" in text
    first, second, *_ = re.findall(r"^ \d  .*$", text, re.MULTILINE)
    assert f"0 ann !{record.choices[4]}" in first
    assert "!" in second
    assert "0 ann !" not in second
    assert len(re.findall(r"1 bob !", text)) == 5 * 15
    last = [line.split() for line in text.splitlines()[-2:]]
    assert {row[1] for row in last} == {"0", "1"}
    assert [row[-1] for row in last] == ["1", "1"]


BAD = "\x1b[2J[red]x[/]\r\n\u202e"


def test_texts_of_bots_are_sanitized() -> None:
    fault = Fault(1, "illegal", BAD, 9)
    record = random_record("sticheln", 3, names=(BAD, "b", "c"), faults=(fault,), notes={3: BAD})
    text = render_game(record, terminal=True)
    assert "\x1b[2J" not in text
    assert "\r" not in text
    assert "\u202e" not in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert plain.count("␛[2J[red]x[/]␍␊�") >= 2


def test_colour_is_for_terminals() -> None:
    record = random_record("was-sticht", 4)
    plain = render_game(record)
    colour = render_game(record, terminal=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colour) == plain
    assert re.search(r"\x1b\[38;2;[0-9;]+;48;2;[0-9;]+mR\d", colour)
    assert "48;2" not in render_game(record, terminal=True, no_color=True)


def test_card_by_card() -> None:
    """On a terminal a trick grows; what stands there at last is the same."""
    record = random_record("hat-trick", 4)
    live = re.sub(r"\x1b\[[0-9;]*m", "", render_game(record, terminal=True, live=True))
    lines = [line.split("\r") for line in live.split("\n")]
    assert "\n".join(line[-1] for line in lines) == render_game(record)
    growing = next(line for line in lines if len(line) > 1)
    assert [len(CELL.findall(part)) for part in growing] == [1, 2, 3, 4, 4]
    assert render_game(record, live=True) == render_game(record)


def test_one_round() -> None:
    record = random_record("stick-em", 4)
    text = render_game(record, excerpt=Excerpt(1))
    assert re.findall("━━ [^━]* ", text) == ["━━ Round 2 of 4 ", "━━ 1 bob leads "]
    assert trick_lines(text) == tricks(record)[14:28]
    assert text.count("total") == 1


def test_one_trick() -> None:
    record = random_record("was-sticht", 4, notes={0: "at the beginning"})
    text = render_game(record, excerpt=Excerpt(1, 4))
    assert "━━ Round 2, trick 5 ━" in text
    (line,) = trick_lines(text)
    assert line == tricks(record)[13]
    hands = {
        int(s): cards.split()
        for s, cards in re.findall(r"^  (\d) \w+ +(\w\d.*)$", text, re.MULTILINE)
    }
    assert [len(hands[seat]) for seat in range(4)] == [5] * 4
    assert all(card in hands[seat] for seat, card, _ in line)
    assert "  tasks  " in text
    assert "  trumps  " in text
    assert "at the beginning" not in text


def test_broken_off() -> None:
    record = random_record("sticheln", 3)
    console = Console(file=StringIO(), width=80, highlight=False)
    scene = GameRenderer(console, NAMES[:3])
    with console.capture() as capture:
        for step, _ in zip(replay_game(record), range(4), strict=False):
            scene.show_step(step)
        scene.print_aborted([Fault(0, "timeout", "it slept", 5)])
    text = capture.get()
    assert trick_lines(text) == [[(*cell[:2], "") for cell in tricks(record)[0][:2]]]
    assert "! timeout: it slept\n" in text
    assert "chose" not in text
    assert text.splitlines()[-1].split() == ["3", "0", "ann", "0", "1"]
