"""Derive deal seeds, seating draws and block keys from the secret seed, and its commitment."""

import string
from collections.abc import Iterable, Sequence
from hashlib import sha256
from math import log2
from typing import Any

import msgspec

from arena.bots.bot import Bot
from arena.games.shuffle import SeededShuffle
from arena.protocol.messages import MAX_SAFE_INTEGER, PROTOCOL_VERSION
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.store.block import KEY_BYTES
from arena.tournaments.seatings import BlockSeatings

COMMITMENT_PREFIX = "stichkampf-seed-1/"
"""The prefix of the secret in the hash that is published."""

GUESSABLE_BITS = 64
"""Bits below which all secrets can be tried."""


def commitment(secret: str) -> str:
    """The hash that is published before the first game and proves the secret after the last one."""
    return sha256((COMMITMENT_PREFIX + secret).encode()).hexdigest()


def add_salt(secret: str, salt: str) -> str:
    """The secret of a session whose deals no other session of the run has."""
    return f"{secret}/{salt}" if salt else secret


def is_guessable(secret: str) -> bool:
    """Whether the secret of a commitment could be found by trying."""
    kinds = (string.digits, "abcdef", "ghijklmnopqrstuvwxyz", string.ascii_uppercase)
    letters = sum(len(kind) for kind in kinds if set(kind) & set(secret))
    others = 32 if set(secret) - set(string.ascii_letters + string.digits) else 0
    return len(secret) * log2(max(letters + others, 2)) < GUESSABLE_BITS


def hash_parts(*parts: object) -> bytes:
    """A hash of these parts, which differs for any two lists of parts."""
    return sha256(msgspec.json.encode(parts)).digest()


class Dealer:
    """All random draws for one table in one cell.

    They depend on the names and versions of its bots: another bot in the tournament changes no deal
    of an existing table, while a bot that was changed meets no deal that it may know.
    """

    def __init__(self, secret: str, cell: Cell, table: Iterable[Bot]) -> None:
        bots = sorted((bot.name, bot.version) for bot in table)
        key = hash_parts(secret, cell.variant, cell.seats, bots)
        self._deal_hash = sha256(b"stichkampf-deal-seed-1" + key)
        self._place_hash = sha256(b"stichkampf-seating-1" + key)
        self._slots = range(cell.seats)

    def seed(self, number: int) -> int:
        """The deal's seed in the block of this number."""
        return _draw_number(self._deal_hash, number)

    def places(self, number: int) -> list[int]:
        """For each slot of the super-block of this number the place of its bot."""
        return SeededShuffle(_draw_number(self._place_hash, number))(0, self._slots)


def _draw_number(state: Any, number: int) -> int:
    """A number that JSON represents exactly, from a hash with this state and number."""
    hashed = state.copy()
    hashed.update(b"%d" % number)
    return int.from_bytes(hashed.digest()[:8]) & MAX_SAFE_INTEGER


def block_key_settings(config: RefereeConfig, sandbox: str) -> list[object]:
    """The settings on which results depend beside the games, as part of the keys of blocks."""
    limits = config.limits and msgspec.to_builtins(config.limits)
    return [
        limits,
        config.policy,
        config.max_faults,
        config.games_at_once,
        config.anonymous,
        sandbox,
    ]


class BlockKeys:
    """Makes the keys of the blocks of one table in one cell."""

    def __init__(self, cell: Cell, table: Sequence[Bot], key_settings: Sequence[object]) -> None:
        bots = [(bot.name, bot.version) for bot in table]
        prefix = hash_parts(PROTOCOL_VERSION, cell.variant, cell.seats, bots, key_settings)
        self._hash = sha256(b"stichkampf-block-1" + prefix)

    def key(self, seed: int, seatings: BlockSeatings) -> bytes:
        """A hash of all that identifies a block."""
        hashed = self._hash.copy()
        hashed.update(b"%d:" % seed + b";".join(map(bytes, seatings)))
        return hashed.digest()[:KEY_BYTES]
