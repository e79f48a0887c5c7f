"""A deal, and what a bot may make of it."""

from arena.games.catalog import variant
from arena.protocol.messages import MAX_SAFE_INTEGER
from arena.referee.live_game import Deal, LiveGame, bot_seed
from arena.referee.record import SeatedBot, deciders, verify_record


def test_bot_seeds_are_fixed_and_reveal_nothing() -> None:
    """They are part of what makes a game repeatable, so they are written down here."""
    seeds = {bot_seed(Deal(seed), seat) for seed in range(100) for seat in range(8)}
    assert len(seeds) == 800
    assert all(0 <= seed <= MAX_SAFE_INTEGER for seed in seeds)
    assert bot_seed(Deal(1), 0) == bot_seed(Deal(1, first=2), 0) == 1232796654089677


def test_own_seeds_differ_from_turn_to_turn() -> None:
    assert len({bot_seed(Deal(1, turn=turn), 0) for turn in range(8)}) == 8


def test_a_game_choice_by_choice() -> None:
    bots = [SeatedBot(name, "1") for name in "abc"]
    game = variant("sticheln").game(3)
    table = LiveGame(1, game, Deal(4, first=1), bank_ns=0, seating=(2, 0, 1), bots=bots)
    assert table.seat_of_place == [1, 2, 0]
    while table.decisions:
        stopped = table.record(stopped=True)
        assert len(stopped.wall) == len(stopped.cpu) == len(stopped.choices)
        table.choices = [decision.options[0] for decision in table.decisions]
        before = table.state
        assert table.advance() is before
    record = table.record()
    verify_record(record)
    assert "".join(bot.name for bot in record.bots) == "cab"
    assert table.deciders == list(deciders(record))
    assert record.first == 1
    assert (record.stale, record.faults, record.notes) == ((), (), {})
