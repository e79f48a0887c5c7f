"""Every deal comes from the secret, and from nothing but what it is dealt for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import product

import pytest

from arena.bots.bot import Bot
from arena.protocol.messages import MAX_SAFE_INTEGER, Limits
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.tournaments.deals import BlockKeys, Dealer, block_key_settings, commitment, is_guessable
from arena.tournaments.seatings import BlockSeatings, balanced_design
from tests.tournaments.fake_tournaments import fake_bot, fake_bots

CELL = Cell("sticheln", 4)
TABLE = fake_bots(4)


def test_a_commitment_is_a_hash_that_anybody_can_check() -> None:
    assert commitment("x") == sha256(b"stichkampf-seed-1/x").hexdigest()
    assert commitment("x") != commitment("y")


@pytest.mark.parametrize(
    ("secret", "short"),
    [
        ("42", True),
        ("friday", True),
        ("1234567890123456789", True),
        ("12345678901234567890", False),
        ("0123456789abcdef", False),
        ("correct horse battery", False),
        ("aaaaaaaaaaaaaaa", True),
        ("Täglich", True),
    ],
)
def test_guessable_seeds(secret: str, short: bool) -> None:
    assert is_guessable(secret) == short


def test_seeds_are_those_of_before() -> None:
    """A change here would deal other cards to every tournament that goes on."""
    dealer = Dealer("secret", CELL, TABLE)
    assert [dealer.seed(number) for number in range(2)] == [1678368639966204, 1643398442881244]
    assert dealer.places(0) == [1, 0, 2, 3]


def test_json_keeps_every_seed() -> None:
    dealer = Dealer("secret", CELL, TABLE)
    seeds = [dealer.seed(number) for number in range(1000)]
    assert all(0 <= seed <= MAX_SAFE_INTEGER for seed in seeds)
    assert max(seeds) > MAX_SAFE_INTEGER // 2
    assert len(set(seeds)) == 1000


def test_neither_order_nor_others_matter_to_a_deal_but_all_else_does() -> None:
    def seed(text: str = "s", cell: Cell = CELL, table: Sequence[Bot] = TABLE) -> int:
        return Dealer(text, cell, table).seed(0)

    assert seed(table=TABLE[::-1]) == seed()
    others = [
        seed("t"),
        seed(cell=Cell("sticheln+mild", 4)),
        seed(cell=Cell("sticheln", 5)),
        seed(table=(*TABLE[:3], fake_bot("new"))),
        seed(table=(*TABLE[:3], replace(TABLE[3], digest="2"))),
    ]
    assert len({seed(), *others}) == 6


def test_every_slot_is_drawn_as_often_for_every_place() -> None:
    dealer = Dealer("secret", Cell("sticheln", 3), fake_bots(3))
    orders = Counter(tuple(dealer.places(number)) for number in range(3000))
    assert len(orders) == 6
    assert 400 < min(orders.values()) <= max(orders.values()) < 600


def test_the_key_of_a_block_holds_all_that_makes_it_what_it_is() -> None:
    rows = balanced_design(4)[0]

    def key(
        cell: Cell = CELL,
        table: Sequence[Bot] = TABLE,
        terms: RefereeConfig = RefereeConfig(),  # noqa: B008 (it is frozen)
        sandbox: str = "none",
        seed: int = 1,
        seatings: BlockSeatings = rows,
    ) -> bytes:
        keyring = BlockKeys(cell, table, block_key_settings(terms, sandbox))
        return keyring.key(seed, seatings)

    assert key() == key()
    assert len(key()) == 16
    others = {
        key(cell=Cell("stick-em", 4)),
        key(cell=Cell("sticheln", 5)),
        key(table=TABLE[::-1]),
        key(table=(*TABLE[:3], fake_bot("other"))),
        key(table=(*TABLE[:3], replace(TABLE[3], digest="2"))),
        key(terms=RefereeConfig(limits=None)),
        key(terms=RefereeConfig(limits=Limits(move=2))),
        key(terms=RefereeConfig(policy=FaultPolicy.FORFEIT)),
        key(terms=RefereeConfig(max_faults=3)),
        key(terms=RefereeConfig(games_at_once=1)),
        key(terms=RefereeConfig(anonymous=False)),
        key(sandbox="other limits"),
        key(seed=2),
        key(seatings=rows[::-1]),
        key(seatings=rows[:-1]),
    }
    assert len(others) == 15
    assert key() not in others


def test_the_key_ignores_limits_that_do_not_change_games() -> None:
    found = {
        tuple(map(str, block_key_settings(RefereeConfig(grace=grace, limits=limits), "none")))
        for grace, limits in product((1.0, 2.0), (Limits(), Limits(move=1.0)))
    }
    assert len(found) == 1
