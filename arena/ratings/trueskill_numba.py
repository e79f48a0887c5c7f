"""The inner step of TrueSkill in a form that numba can compile.

The schedule of messages within a block, and its stopping rule, are those of the package, so that
both give the same result. All of this also runs as plain Python, which rates the single blocks
for which the package raises an error.
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
"""The messages of a block are exchanged until they change by less, for so many rounds at most."""
TAIL_START = 30.0
"""From so many deviations on the tail of the normal distribution is computed by a series."""

MIN_VARIANCE = 1e-12
"""Lower bound of a variance, which rounding might make 0."""

Model = tuple[float, float]
"""The margin within which performances tie, and the variance of a performance."""
Kernel = Callable[[Ints, Floats, Floats, Floats, Model], None]


def win_moments(x: float) -> tuple[float, float]:
    """Return mean and variance of a standard normal variable above -x."""
    if x > -TAIL_START:
        v = math.exp(-0.5 * x * x) / math.sqrt(0.5 * math.pi) / math.erfc(-x / math.sqrt(2.0))
        return v, 1.0 - v * (v + x)
    z = -x
    excess = 1.0 / (z + 2.0 / (z + 3.0 / (z + 4.0 / (z + 5.0 / z))))
    return z + excess, 1.0 - excess * (z + excess)


def draw_moments(mean: float, margin: float) -> tuple[float, float]:
    """Return how the mean of a normal variable moves within ±margin, and its variance there."""
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
    """Update the difference of two performances by who was ahead, or that they tied."""
    root = math.sqrt(pi)
    v, left = (
        draw_moments(tau / root, margin * root) if tied else win_moments(tau / root - margin * root)
    )
    left = max(left, MIN_VARIANCE)
    return pi / left, (tau + root * v) / left


def exchange_messages(prior: Floats, standing: Ints, messages: Floats, margin: float) -> None:
    """Exchange messages between the neighbours of a standing until they agree.

    `prior` has the performance of each rank, the best first. The result is in `messages`: about
    each rank from the comparison with the next one, about it from that with the previous one, and
    about its difference to the next one from the outcome.
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
    """Update the messages of every block in turn, and with them the ratings.

    `standings` are those of `sort_blocks`; `outcomes` receives the messages of each block about
    the differences in performance between a rank and the next.
    """
    margin, noise = model
    blocks, seats, _ = standings.shape
    prior, exchanged = np.empty((seats, 2)), np.empty((3, seats, 2))
    for block in range(blocks):
        standing, message = standings[block], messages[block]
        for rank in range(seats):
            place, bot = standing[rank, 0], standing[rank, 1]
            ratings[bot, 0] -= message[place, 0]
            ratings[bot, 1] -= message[place, 1]
            shrink = 1.0 / (1.0 + noise * ratings[bot, 0])
            prior[rank, 0] = shrink * ratings[bot, 0]
            prior[rank, 1] = shrink * ratings[bot, 1]
        exchange_messages(prior, standing, exchanged, margin)
        for rank in range(seats):
            place, bot = standing[rank, 0], standing[rank, 1]
            pi = exchanged[0, rank, 0] + exchanged[1, rank, 0]
            tau = exchanged[0, rank, 1] + exchanged[1, rank, 1]
            shrink = 1.0 / (1.0 + noise * pi)
            message[place, 0], message[place, 1] = shrink * pi, shrink * tau
            ratings[bot, 0] += shrink * pi
            ratings[bot, 1] += shrink * tau
        outcomes[block] = exchanged[2, : seats - 1]


def sort_blocks(bot_indices: Ints, ranks: Ints) -> Ints:
    """Sort each block from best to worst: place, bot, and whether it ties with the next."""
    order = np.argsort(ranks, axis=1, kind="stable")
    sorted_ranks = np.take_along_axis(ranks, order, 1)
    ties = np.zeros_like(order)
    ties[:, :-1] = sorted_ranks[:, :-1] == sorted_ranks[:, 1:]
    return np.stack([order, np.take_along_axis(bot_indices, order, 1), ties], axis=2)


def compile_kernel(*, keep: bool) -> Kernel:
    """Compile the sweep, and keep the compiled code on disk for the next time."""
    numba = import_module("numba")
    kernel: Kernel = numba.njit(cache=keep)(sweep)
    return kernel


@cache
def load_kernel() -> Kernel | None:
    """Return the compiled sweep, or None if numba is not installed."""
    try:
        extending: Any = import_module("numba.extending")
    except ImportError:
        return None
    for part in (win_moments, draw_moments, truncate, exchange_messages):
        extending.register_jitable(part)
    try:
        kernel = compile_kernel(keep=True)
    except RuntimeError:  # numba finds no folder that it may write to
        return compile_kernel(keep=False)

    def run_kernel(*args: Any) -> None:
        nonlocal kernel
        try:
            kernel(*args)
        except OSError:  # the folder cannot be written after all; nothing has run so far
            kernel = compile_kernel(keep=False)
            kernel(*args)

    return run_kernel


class Sweeper:
    """Sweeps over the blocks of a cell, in plain Python or with a compiled kernel."""

    def __init__(self, bot_indices: Ints, ranks: Ints, draw: float, beta: float) -> None:
        blocks, seats = bot_indices.shape
        self.beta = beta
        self.standings = sort_blocks(bot_indices, ranks)
        self.outcomes = np.zeros((blocks, seats - 1, 2))
        self.model = (NormalDist().inv_cdf((draw + 1) / 2) * math.sqrt(2) * beta, beta**2)
        self.kernel: Kernel = sweep

    def __call__(self, messages: Floats, ratings: Floats) -> None:
        """Update messages and ratings in place."""
        self.kernel(self.standings, messages, ratings, self.outcomes, self.model)

    def difference_messages(self, messages: Floats, ratings: Floats) -> Floats:
        """Return the messages that each block would send about differences in performance now."""
        self.kernel(self.standings, messages.copy(), ratings.copy(), self.outcomes, self.model)
        return self.outcomes


def make_sweeper(bot_indices: Ints, ranks: Ints, draw: float, beta: float) -> Sweeper | None:
    """Prepare sweeps with compiled code; None if numba is not installed."""
    sweeper, compiled = Sweeper(bot_indices, ranks, draw, beta), load_kernel()
    if compiled is None:
        return None
    sweeper.kernel = compiled
    return sweeper


def block_messages(without: Floats, ranks: Sequence[int], draw: float, beta: float) -> Floats:
    """Return the messages of one block, given the ratings without them; not compiled."""
    messages = np.zeros((1, len(ranks), 2))
    sweeper = Sweeper(np.arange(len(ranks))[None, :], np.array([ranks]), draw, beta)
    sweeper(messages, without.copy())
    return np.asarray(messages[0])
