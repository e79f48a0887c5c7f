"""The inner step of TrueSkill in a form that numba can compile.

The schedule of messages within a block is that of the package, down to where it stops, so that
both come to the same. Everything here is plain Python as well, which is how single blocks are
rated that the package gives up on.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from statistics import NormalDist
from typing import Any

import numpy as np

from arena.ratings.results import Floats, Ints

MAX_ROUNDS = 10
TOLERANCE = 1e-4
"""A block's messages go to and fro until they change by less, but only so often."""
TAIL_START = 30.0
"""So many deviations out, the tail of the normal distribution is taken from a series."""

MIN_VARIANCE = 1e-12
"""Rounding may leave no variance at all, and there is always some."""

Model = tuple[float, float]
"""The margin within which performances tie, and the variance of a performance."""
Kernel = Callable[[Ints, Floats, Floats, Floats, Model], None]


def win_moments(x: float) -> tuple[float, float]:
    """Of a standard normal variable above -x: its mean, and its variance."""
    if x > -TAIL_START:
        v = math.exp(-0.5 * x * x) / math.sqrt(0.5 * math.pi) / math.erfc(-x / math.sqrt(2.0))
        return v, 1.0 - v * (v + x)
    z = -x
    excess = 1.0 / (z + 2.0 / (z + 3.0 / (z + 4.0 / (z + 5.0 / z))))
    return z + excess, 1.0 - excess * (z + excess)


def draw_moments(mean: float, margin: float) -> tuple[float, float]:
    """Of a normal variable of variance 1 within ±margin: how its mean moves, and its variance."""
    distance = abs(mean)
    near, off = margin - distance, -margin - distance
    if near > -TAIL_START:
        mass = 0.5 * (math.erfc(-near / math.sqrt(2.0)) - math.erfc(-off / math.sqrt(2.0)))
        at_near = math.exp(-0.5 * near * near) / math.sqrt(2.0 * math.pi)
        at_off = math.exp(-0.5 * off * off) / math.sqrt(2.0 * math.pi)
        v = (at_off - at_near) / mass
        left = 1.0 - v * v - (near * at_near - off * at_off) / mass
    else:
        # So far out the density falls exponentially from the nearer end of the interval.
        width, fall = 2.0 * margin, -near
        rest = math.exp(-width * fall)
        v = near - 1.0 / fall + width * rest / (1.0 - rest)
        left = 1.0 / fall**2 - width**2 * rest / (1.0 - rest) ** 2
    return (v if mean >= 0.0 else -v), left


def truncate(pi: float, tau: float, margin: float, tied: int) -> tuple[float, float]:
    """The difference of two performances, once it is known who was ahead or that they tied."""
    root = math.sqrt(pi)
    v, left = (
        draw_moments(tau / root, margin * root) if tied else win_moments(tau / root - margin * root)
    )
    left = max(left, MIN_VARIANCE)
    return pi / left, (tau + root * v) / left


def exchange_messages(prior: Floats, standing: Ints, messages: Floats, margin: float) -> None:
    """Sends messages to and fro between the neighbours of a standing until they agree.

    `prior` has each place's performance, the best first. `said` takes what the comparison with
    the next says about a place, what that with the previous one says about it, and what the
    outcome says about its difference to the next.
    """
    last = len(prior) - 2
    left, right, outcome = messages[0], messages[1], messages[2]
    messages[:] = 0.0
    for _ in range(MAX_ROUNDS):
        change = 0.0
        for number in range(max(2 * last, 1)):
            forward = number < last
            at = number if forward else max(2 * last - number, 0)
            pi_l, tau_l = prior[at, 0] + right[at, 0], prior[at, 1] + right[at, 1]
            pi_r, tau_r = prior[at + 1, 0] + left[at + 1, 0], prior[at + 1, 1] + left[at + 1, 1]
            pi = 1.0 / (1.0 / pi_l + 1.0 / pi_r)
            tau = pi * (tau_l / pi_l - tau_r / pi_r)
            new_pi, new_tau = truncate(pi, tau, margin, standing[at, 2])
            moved = abs(new_tau - tau - outcome[at, 1])
            grown = math.sqrt(abs(new_pi - pi - outcome[at, 0]))
            change = max(change, moved, grown)
            pi, tau = new_pi - pi, new_tau - tau
            outcome[at, 0], outcome[at, 1] = pi, tau
            if forward:
                right[at + 1, 0] = pi * pi_l / (pi + pi_l)
                right[at + 1, 1] = (pi * tau_l - pi_l * tau) / (pi + pi_l)
            elif last:
                left[at, 0] = pi * pi_r / (pi + pi_r)
                left[at, 1] = (pi * tau_r + pi_r * tau) / (pi + pi_r)
        if change <= TOLERANCE:
            break
    pi, tau = outcome[0, 0], outcome[0, 1]
    pi_r, tau_r = prior[1, 0] + left[1, 0], prior[1, 1] + left[1, 1]
    left[0, 0] = pi * pi_r / (pi + pi_r)
    left[0, 1] = (pi * tau_r + pi_r * tau) / (pi + pi_r)
    pi, tau = outcome[last, 0], outcome[last, 1]
    pi_l, tau_l = prior[last, 0] + right[last, 0], prior[last, 1] + right[last, 1]
    right[last + 1, 0] = pi * pi_l / (pi + pi_l)
    right[last + 1, 1] = (pi * tau_l - pi_l * tau) / (pi + pi_l)


def sweep(
    standings: Ints, messages: Floats, ratings: Floats, outcomes: Floats, model: Model
) -> None:
    """Renews the messages of every block in turn, and with them the ratings.

    `standings` are as `arranged` makes them; `outcomes` takes what each block says about the
    differences in performance between a place and the next.
    """
    margin, noise = model
    blocks, seats, _ = standings.shape
    prior, said = np.empty((seats, 2)), np.empty((3, seats, 2))
    for block in range(blocks):
        standing, message = standings[block], messages[block]
        for rank in range(seats):
            place, bot = standing[rank, 0], standing[rank, 1]
            ratings[bot, 0] -= message[place, 0]
            ratings[bot, 1] -= message[place, 1]
            shrink = 1.0 / (1.0 + noise * ratings[bot, 0])
            prior[rank, 0] = shrink * ratings[bot, 0]
            prior[rank, 1] = shrink * ratings[bot, 1]
        exchange_messages(prior, standing, said, margin)
        for rank in range(seats):
            place, bot = standing[rank, 0], standing[rank, 1]
            pi, tau = said[0, rank, 0] + said[1, rank, 0], said[0, rank, 1] + said[1, rank, 1]
            shrink = 1.0 / (1.0 + noise * pi)
            message[place, 0], message[place, 1] = shrink * pi, shrink * tau
            ratings[bot, 0] += shrink * pi
            ratings[bot, 1] += shrink * tau
        outcomes[block] = said[2, : seats - 1]


def sort_blocks(who: Ints, ranks: Ints) -> Ints:
    """Each block from the best to the worst: the place, the bot, whether it ties with the next."""
    order = np.argsort(ranks, axis=1, kind="stable")
    sorted_ranks = np.take_along_axis(ranks, order, 1)
    ties = np.zeros_like(order)
    ties[:, :-1] = sorted_ranks[:, :-1] == sorted_ranks[:, 1:]
    return np.stack([order, np.take_along_axis(who, order, 1), ties], axis=2)


def compile_kernel(*, keep: bool) -> Kernel:
    """Compiles, and keeps what was compiled on disk for the next time."""
    numba = import_module("numba")
    kernel: Kernel = numba.njit(cache=keep)(sweep)
    return kernel


@cache
def load_kernel() -> Kernel | None:
    """The compiled sweep, or nothing where numba is not installed."""
    try:
        extending: Any = import_module("numba.extending")
    except ImportError:
        return None
    for part in (win_moments, draw_moments, truncate, exchange_messages):
        extending.register_jitable(part)
    try:
        kept = compile_kernel(keep=True)
    except RuntimeError:  # there is no folder where it may write
        return compile_kernel(keep=False)
    fresh: list[Kernel] = []

    def careful(*args: Any) -> None:
        try:
            (fresh or [kept])[0](*args)
        except OSError:  # the folder is there, and takes nothing; nothing has run so far
            fresh.append(compile_kernel(keep=False))
            fresh[0](*args)

    return careful


class Sweeper:
    """The blocks of a cell, made ready to be swept over."""

    def __init__(self, who: Ints, ranks: Ints, draw: float, beta: float) -> None:
        blocks, seats = who.shape
        self.beta = beta
        self.standings = sort_blocks(who, ranks)
        self.outcomes = np.zeros((blocks, seats - 1, 2))
        self.model = (NormalDist().inv_cdf((draw + 1) / 2) * math.sqrt(2) * beta, beta**2)
        self.kernel: Kernel = sweep

    def __call__(self, messages: Floats, ratings: Floats) -> None:
        """Renews messages and ratings in place."""
        self.kernel(self.standings, messages, ratings, self.outcomes, self.model)

    def difference_messages(self, messages: Floats, ratings: Floats) -> Floats:
        """What each block would say now about the differences in performance of its neighbours."""
        self.kernel(self.standings, messages.copy(), ratings.copy(), self.outcomes, self.model)
        return self.outcomes


def make_sweeper(who: Ints, ranks: Ints, draw: float, beta: float) -> Sweeper | None:
    """Sweeps by compiled code, if that can be had."""
    flat, compiled = Sweeper(who, ranks, draw, beta), load_kernel()
    if compiled is None:
        return None
    flat.kernel = compiled
    return flat


def block_messages(without: Floats, ranks: Sequence[int], draw: float, beta: float) -> Floats:
    """What one block says about its bots, given what all others say; not compiled."""
    messages = np.zeros((1, len(ranks), 2))
    flat = Sweeper(np.arange(len(ranks))[None, :], np.array([ranks]), draw, beta)
    flat(messages, without.copy())
    return np.asarray(messages[0])
