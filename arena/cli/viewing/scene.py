"""A game as a person can follow it in a terminal: line by line, as its steps come."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from arena.cli.viewing import draft_scenes, trick_scenes
from arena.cli.viewing.faces import cards
from arena.cli.viewing.scoreboard import final_scores
from arena.cli.viewing.stage import Stage
from arena.cli.viewing.story import Excerpt, Story, Told
from arena.games import events
from arena.games.hat_trick import HatTrickGame
from arena.games.replay import Step
from arena.match.faults import Fault
from arena.match.record import ranks

SHOWN: Final[dict[type[events.Event], Callable[[Stage, Any], None]]] = {
    events.RoundBegan: trick_scenes.round_began,
    events.Dealt: trick_scenes.dealt,
    events.LeftOver: trick_scenes.left_over,
    events.Designated: trick_scenes.designated,
    events.Revealed: trick_scenes.revealed,
    events.Named: trick_scenes.named,
    events.Played: trick_scenes.played,
    events.Passed: trick_scenes.played,
    events.Took: trick_scenes.took,
    events.SetAside: trick_scenes.set_aside,
    events.Scored: trick_scenes.scored,
    events.TokensShown: draft_scenes.tokens_shown,
    events.TokenTaken: draft_scenes.token_taken,
    events.LaidOut: draft_scenes.laid_out,
    events.TrumpsShown: draft_scenes.trumps_shown,
    events.Picked: draft_scenes.picked,
    events.Hinted: draft_scenes.hinted,
    events.TaskChosen: draft_scenes.task_chosen,
    events.TaskJudged: draft_scenes.in_the_scores,
    events.Discarded: draft_scenes.in_the_scores,
}
"""How each kind of event is shown; those that happen together are shown together."""


class Scene:
    """Prints a game; only what one seat sees, or only a part of it, if so asked."""

    def __init__(
        self,
        console: Console,
        names: Sequence[str],
        from_seat: int | None = None,
        *,
        excerpt: Excerpt | None = None,
        live: bool = False,
    ) -> None:
        self.stage = Stage(console, names, from_seat, live=live)
        self.from_seat = from_seat
        self.excerpt = excerpt or Excerpt()
        self.story = Story(from_seat)
        self.step: Step | None = None
        self.faults: Sequence[Fault] = ()
        self.set = False
        """Whether the situation before the trick asked for was shown."""

    def show(
        self,
        step: Step,
        *,
        notes: Mapping[int, str] | None = None,
        faults: Sequence[Fault] = (),
        wall: Sequence[int] = (),
    ) -> bool:
        """One more step; notes, faults and times are the game's, as far as they are known.

        Where a bot at fault took no time, the referee chose. Says whether anything was shown.
        """
        stage = self.stage
        if self.step is None:
            self.title(step)
        self.step, self.faults = step, faults
        said = list(stage.remarks.of(step, notes or {}, faults, wall))
        told = list(self.story.tell(step))
        if told and self.excerpt.holds(told[0]):
            stage.said += said
        for _, group in groupby(told, key=lambda one: type(one.event)):
            self.happen(list(group))
        if not stage.line and not stage.taken:
            stage.remark()
        return any(map(self.excerpt.holds, told))

    def happen(self, group: list[Told]) -> None:
        """Show events of one kind."""
        happened = [told.event for told in group]
        wanted = self.excerpt.holds(group[0])
        if wanted and self.excerpt.trick is not None and not self.set:
            self.situation(self.excerpt.trick)
        if isinstance(happened[0], events.Ended):
            if wanted:
                self.final("The end")
            return
        for event in happened:
            self.stage.table.put(event)
        if wanted:
            SHOWN[type(happened[0])](self.stage, happened)

    def title(self, step: Step) -> None:
        """What is played, and what the signs mean."""
        game, console = step.game, self.stage.console
        self.stage.rounds = game.sizes.rounds
        whose = "" if self.from_seat is None else f", as seat {self.from_seat} sees it"
        words = f" with {game.seats} seats{whose}"
        passes = ", × is a pass" if isinstance(game, HatTrickGame) else ""
        console.print(Text.assemble((game.variant, "bold"), words))
        console.print(Text(f"The first card of a line leads, * takes the trick{passes}.", "dim"))

    def situation(self, trick: int) -> None:
        """How things stand as a trick begins."""
        self.set = True
        stage, table = self.stage, self.stage.table
        stage.heading(f"{stage.round_name()}, trick {trick + 1}")
        stage.hands()
        stage.facts("designated", {seat: cards(laid) for seat, laid in table.laid.items()})
        if table.trumps:
            draft_scenes.trumps(stage, table.trumps)
        stage.facts("tasks", {seat: Text(task) for seat, task in table.tasks.items()})
        if trick:
            stage.blank()

    def broken_off(self, faults: Sequence[Fault] = ()) -> None:
        """The game ended before its end."""
        self.faults = faults or self.faults
        self.leave()
        self.final("Broken off")

    def final(self, words: str) -> None:
        """The result of the game."""
        stage = self.stage
        stage.said += stage.remarks.rest(self.faults)
        stage.remark()
        if self.step:
            game, state = self.step.game, self.step.after
            found = ranks(game, state, self.faults)
            board = final_scores(stage.seating, game.scores(state), found, self.faults)
            stage.heading(words)
            stage.console.print(Padding(board, (0, 0, 0, 2), expand=False))

    def leave(self) -> None:
        """Finish the line at hand, for somebody who has seen enough."""
        if self.stage.line:
            self.stage.console.print(self.stage.line.text())
            self.stage.line = None
