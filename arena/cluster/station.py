"""A station: what plays orders on a machine, for a worker of a cluster."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from typing import Final

import msgspec

from arena.bots.bot import Bot
from arena.bots.build import Workshop
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import Sandbox, chosen
from arena.cluster.messages import (
    Lacking,
    Logged,
    NotPlayed,
    Order,
    Outcome,
    Played,
    Said,
    StoppedByFault,
    Unfit,
)
from arena.cluster.player import Piece, Player, Wanted
from arena.cluster.shelf import NotThere, Shelf
from arena.conformance.greeting import greet
from arena.errors import ArenaError, BadBot
from arena.match.terms import Terms
from arena.tournaments.backend import Broken, Done, Failed, Ticked

TELL: Final = 2.0
"""Seconds between two words about a task."""
REST: Final = 60.0
"""Seconds after which a player that has nothing to do is sent home."""

Say = Callable[[Said], None]


class Reporter:
    """Tells how far an order is, now and then, and at least that somebody is at it."""

    def __init__(self, order: Order, say: Say) -> None:
        self.order = order
        self.say = say
        self.games = 0
        self.logged: list[Logged] = []
        self.told = 0.0
        self.over = threading.Event()

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Tell it while bots are built, which may take minutes."""
        thread = threading.Thread(target=self.beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.over.set()
            thread.join()

    def beat(self) -> None:
        """Tell it again and again."""
        self.tell()
        while not self.over.wait(TELL):
            self.tell()

    def hear(self, news: Ticked | Logged) -> None:
        """Take what a player says, and pass it on when it is time."""
        if isinstance(news, Ticked):
            self.games = news.games
        else:
            self.logged.append(news)
        if time.monotonic() - self.told >= TELL:
            self.tell()

    def tell(self) -> None:
        """Say how far it is."""
        self.told = time.monotonic()
        logged, self.logged = tuple(self.logged), []
        self.say(Said(self.order.task.number, self.order.attempt, self.games, logged))


class Station:
    """Bots on a shelf, and players for as many orders as come at once."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.shelf = shelf
        self.greetings: set[tuple[Bot, tuple[str, ...], Terms]] = set()
        """Bots that have got ready here, for which variants, and on which terms."""
        self.idle: list[tuple[float, Player]] = []
        self.timer: threading.Timer | None = None
        self.lock = threading.Lock()

    def perform(self, order: Order, say: Say, wanted: Wanted) -> Outcome:
        """Carry out an order."""
        reporter = Reporter(order, say)
        try:
            with ExitStack() as stack:
                with reporter.preparing():
                    terms = replace(order.terms, sandbox=walls(order.terms.sandbox))
                    bots = self.prepared(order, terms, stack)
                if not isinstance(bots, list):
                    return bots
                if not order.task.chunk.blocks:
                    return Played(msgspec.msgpack.encode([]), 0.0)
                return self.played(Piece(order.task, bots, terms), reporter, wanted)
        except (NoWalls, OSError) as error:  # nothing can be played here
            return Unfit(str(error))
        except ArenaError as error:
            return NotPlayed(str(error))
        finally:
            if reporter.logged:
                reporter.tell()

    def prepared(self, order: Order, terms: Terms, stack: ExitStack) -> list[Bot] | Lacking | Unfit:
        """The bots of an order, ready to be launched as long as the stack holds them."""
        workshop = Workshop(terms.sandbox, order.network)
        bots: list[Bot] = []
        lacking = []
        try:
            shelf = self.shelf = self.shelf or Shelf()
        except BadBot as error:  # there is no home, and so no place for bots
            return Unfit(str(error))
        for entry in order.entries:
            try:
                bots.append(stack.enter_context(shelf.bot(entry, workshop, order.bundles)))
            except NotThere as missing:
                lacking.append(missing.digest)
            except BadBot as error:
                return Unfit(str(error), entry.digest)
        if lacking:
            return Lacking(tuple(lacking))
        for entry, bot in zip(order.entries, bots, strict=True):
            if why := self.greeted(bot, order.variants, terms):
                return Unfit(why, entry.digest)
        return bots

    def greeted(self, bot: Bot, variants: tuple[str, ...], terms: Terms) -> str:
        """Why a bot does not get ready here; no bot is to pay for what a machine lacks."""
        asked = (bot, variants, terms)
        if asked in self.greetings:
            return ""
        why = greet(bot, variants, terms) and greet(bot, variants, terms)  # it may have been busy
        if not why:
            self.greetings.add(asked)
        return why

    def played(self, piece: Piece, reporter: Reporter, wanted: Wanted) -> Outcome:
        """What comes of a chunk whose bots are there."""
        begun = time.monotonic()
        with self.player() as player:
            news = player.play(piece, reporter.hear, wanted)
        match news:
            case Done(blocks=blocks):
                return Played(msgspec.msgpack.encode(blocks), time.monotonic() - begun)
            case Broken(fault=fault, record=record):
                return StoppedByFault(fault, record)
            case Failed(text=text, killed=killed):
                return NotPlayed(text, killed)
        raise AssertionError(news)  # a player does not end with anything else

    @contextmanager
    def player(self) -> Iterator[Player]:
        """A player that nobody else uses; one that is still good serves again."""
        with self.lock:
            player = self.idle.pop()[1] if self.idle else None
        if player is None or not player.alive:
            player = Player()
        try:
            yield player
        except BaseException:
            player.close()
            raise
        if player.alive:
            with self.lock:
                self.idle.append((time.monotonic(), player))
                if self.timer is None:
                    self.look_again()

    def look_again(self) -> None:
        """Look after a while whether players have had nothing to do."""
        self.timer = threading.Timer(REST, self.send_home)
        self.timer.daemon = True
        self.timer.start()

    def send_home(self) -> None:
        """End the players that have had nothing to do for long."""
        now = time.monotonic()
        with self.lock:
            tired = [player for since, player in self.idle if now - since >= REST]
            self.idle = [(since, one) for since, one in self.idle if now - since < REST]
            self.timer = None
            if self.idle:
                self.look_again()
        for player in tired:
            player.close()


@cache
def walls(asked: Sandbox) -> Sandbox:
    """The walls that were asked for, made here; never weaker ones."""
    return chosen(asked.level, asked.limits, stopped=asked.stopped, system=asked.system)
