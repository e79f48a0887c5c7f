"""Remembers who held what in every deal, and plays with open cards when it meets one again.

It recognises a deal by a hand that somebody held in its first round, and says so in a note. It
keeps all in its memory: whether it can write files that outlive it is a matter of its sandbox.
"""

import json
import random
import sys
from collections import defaultdict
from functools import partial
from typing import Any

Shown = dict[str, Any]
Held = list[set[str]]
"""The cards of each seat."""
Rounds = dict[int, Held]

PLAYS_WELL = {"sticheln", "stick-em"}
"""Elsewhere it remembers nothing."""

TRIES = 60
"""How often it plays to the end of a round before a decision, with the hands it knows."""

chance = random.Random(1)
known: dict[frozenset[str], Rounds] = {}
"""All rounds of a deal, by each hand of its first round: for each round, what each seat held."""


def empty(seats: int) -> Held:
    """Hands without a card."""
    return [set() for _ in range(seats)]


def watch(rounds: Rounds, view: Shown) -> None:
    """Take down every card that a view shows in somebody's hand."""
    number, previous = view["round"], view.get("previous")
    if previous:
        take_down(rounds[number - 1], previous)
    take_down(rounds[number], view)
    rounds[number][view["seat"]].update(view["hand"])


def take_down(held: Held, shown: Shown) -> None:
    """Add what was played and designated to what each seat held."""
    trick = {"leader": shown.get("leader"), "cards": shown.get("trick", [])}
    for leader, cards in ((each["leader"], each["cards"]) for each in [*shown["tricks"], trick]):
        for place, card in enumerate(cards):
            held[(leader + place) % len(held)].add(card)
    for seat, cards in enumerate(shown.get("designated", [])):
        held[seat].update(cards)


def winner(leader: int, cards: list[str]) -> int | None:
    """The seat that takes a trick, or nobody if it is all zeros."""
    led, able = cards[0][0], [place for place, card in enumerate(cards) if card[1:] != "0"]
    if not able:
        return None
    best = max(able, key=lambda place: (cards[place][0] != led, int(cards[place][1:])))
    return (leader + best) % len(cards)


def rest_of_round(
    hands: list[list[str]], special: list[str], leader: int, trick: list[str]
) -> list[int]:
    """Play to the end of the round by chance; what each seat wins from now on."""
    won = [0] * len(hands)
    while trick or hands[leader]:
        while len(trick) < len(hands):
            hand = hands[(leader + len(trick)) % len(hands)]
            trick.append(hand.pop(chance.randrange(len(hand))))
        taker = winner(leader, trick)
        if taker is not None:
            leader = taker
            worth = [-int(card[1:]) if card[0] == special[taker] else 1 for card in trick]
            won[taker] += sum(worth)
        trick = []
    return won


def ahead(option: str, view: Shown, left: list[list[str]]) -> int:
    """How far ahead of the others it is at the end of a round that goes on with this option."""
    me, hands, trick = view["seat"], [list(hand) for hand in left], list(view["trick"])
    hands[me].remove(option)
    special = [cards[0][0] for cards in view.get("designated", [])]
    if special:
        trick.append(option)
    else:
        for seat, hand in enumerate(hands):
            special.append((option if seat == me else hand.pop(chance.randrange(len(hand))))[0])
    won = rest_of_round(hands, special, view["leader"], trick)
    return len(won) * won[me] - sum(won)


def best(options: list[str], view: Shown, held: Held) -> str:
    """The option with which it is furthest ahead on average."""
    gone = empty(len(held))
    take_down(gone, view)
    left = [sorted(held[seat] - gone[seat]) for seat in range(len(held))]
    tries = range(TRIES // len(options) + 1)
    return max(options, key=lambda option: sum(ahead(option, view, left) for _ in tries))


games: dict[int, Rounds] = {}
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start" and message["variant"] in PLAYS_WELL:
        games[message["game"]] = defaultdict(partial(empty, message["seats"]))
    elif message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if message["game"] in games:
            rounds, view = games[message["game"]], message["view"]
            watch(rounds, view)
            deal = known.get(frozenset(rounds[0][view["seat"]]), {})
            held = deal.get(view["round"], [])
            if len({len(hand) for hand in held}) == 1:  # nobody is shown the last trick of all
                answer["note"] = "I know this deal"
                answer["choice"] = best(message["options"], view, held)
        print(json.dumps(answer), flush=True)
    elif message["type"] == "result":
        rounds = games.pop(message["game"], {})
        known.update({frozenset(hand): rounds for hand in rounds.get(0, [])})
