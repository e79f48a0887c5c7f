"use strict";
// Hat Trick: double tricks and passes.
(() => {
  const { deck, greatest, number, playTricks } = Stichkampf.rules;

  /** The colours from worst to best, where nothing else decides who leads. */
  const LEAD_ORDER = "GBR";

  /** The cards of the first two colours, by colour; a card of the third is a pass. */
  function twoTricks(cards) {
    const tricks = new Map();
    for (const card of cards) {
      if (tricks.has(card[0])) tricks.get(card[0]).push(card);
      else if (tricks.size < 2) tricks.set(card[0], [card]);
    }
    return tricks;
  }

  /** The highest number laid only once leads; else the better colour of the highest one. */
  function highestLone(joined) {
    const claim = (card) => 3 * number(card) + LEAD_ORDER.indexOf(card[0]);
    const claims = [...joined].sort((one, other) => claim(other) - claim(one));
    const lone = (card) => joined.filter((other) => number(other) === number(card)).length === 1;
    return claims.find(lone) ?? claims[0];
  }

  /** Each colour goes to its highest card, passed cards stay where they are. */
  function take(order, trick, round, tell) {
    const tricks = twoTricks(trick);
    for (const own of tricks.values()) {
      const seat = order[trick.indexOf(own[greatest(own.map(number))])];
      tell("took", { seat, cards: own });
      round.won[seat].push(...own);
    }
    trick.forEach((card, place) => {
      if (!tricks.has(card[0])) round.passed[order[place]] += 1;
    });
    return order[trick.indexOf(highestLone([...tricks.values()].flat()))];
  }

  /** 1 for every card of the best colour, -1 for every other, -2 for every pass. */
  function points({ won, passed }, seat) {
    const count = (colour) => won[seat].filter((card) => card[0] === colour).length;
    const most = Math.max(...[...LEAD_ORDER].map(count));
    return 2 * most - won[seat].length - 2 * passed[seat];
  }

  Stichkampf.rules.HAT_TRICK = {
    seats: [4, 5, 6, 7],
    deck: (seats) => ({
      cards: deck("RBG", seats === 7 ? 0 : 1, 20),
      hand: [15, 12, 10, 9][seats - 4],
    }),
    rounds: () => 5,
    phases: [playTricks],
    kept: 1,
    passes: (trick) => !twoTricks(trick).has(trick.at(-1)[0]),
    take,
    points,
  };
})();
