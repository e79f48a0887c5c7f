"use strict";
// Sticheln and Stick 'Em as values on independent axes, and the modifiers that change them.
(() => {
  const { COLOURS, deck, greatest, number, playTricks, without } = Stichkampf.rules;

  /** Above every card of the led colour; the axis `trump` orders the trumps around it. */
  const TRUMP = 100;

  /** How strong a card is in a trick: the strongest wins, of equal ones the first. */
  const strength = (game, led, card) => {
    if (number(card) === 0) return 0;
    return card[0] === led ? number(card) : TRUMP + game.trump(number(card));
  };

  /** The strongest card wins; a trick of zeros goes where the axis `zeros` says. */
  function take(order, trick, round, tell) {
    const strengths = trick.map((card) => strength(this, trick[0][0], card));
    const best = greatest(strengths);
    const winner = strengths[best] > 0 ? order[best] : this.zeros(order[0]);
    if (winner === null) {
      tell("set-aside", { cards: trick });
      return order[0];
    }
    tell("took", { seat: winner, cards: trick });
    round.won[winner].push(...trick);
    return winner;
  }

  /** Won and designating cards, scored by the special colours of their owner. */
  function points({ won, special }, seat) {
    const worth = (card) =>
      special[seat].includes(card[0]) ? this.balance(this.worth(card), 0) : this.balance(0, 1);
    return won[seat].reduce((sum, card) => sum + worth(card), 0);
  }

  /** The colours among these cards, in order. */
  const coloursOf = (cards) =>
    COLOURS.filter((colour) => cards.some((card) => card[0] === colour));

  /** Every seat at once lays down cards; their colours are special, and the cards count as won. */
  function* designate(game, { seats, tell }, round) {
    const { hands, won, special } = round;
    const decisions = hands.map((hand, seat) => {
      return { seat, kind: "designate", options: game.colours(hand) };
    });
    const chosen = yield decisions;
    round.designated = chosen.map((choice) => choice.split("+"));
    round.designated.forEach((cards, seat) => {
      hands[seat] = cards.reduce(without, hands[seat]);
      won[seat].push(...cards);
      special[seat] = coloursOf(cards);
      tell("designated", game.open ? { seat, cards } : { seat, cards, to: [seat] });
    });
  }

  /** What lay face down is turned up. */
  function* turnUp(game, { tell }, round) {
    if (!game.open) round.designated.forEach((cards, seat) => tell("revealed", { seat, cards }));
  }

  /** Every seat at once that has won a card names special colours among those it has won. */
  function* name(game, { tell }, round) {
    const decisions = round.won.flatMap((won, seat) =>
      won.length > 0 ? [{ seat, kind: "delayed", options: game.colours(coloursOf(won)) }] : [],
    );
    const chosen = yield decisions;
    decisions.forEach(({ seat }, at) => {
      round.special[seat] = chosen[at].split("+");
      tell("named", { seat, colours: round.special[seat] });
    });
  }

  /** All pairs of two colours; else all pairs there are; else the single one. */
  function pairs(choices) {
    const all = choices.flatMap((one, at) => choices.slice(at + 1).map((other) => [one, other]));
    const mixed = all.filter(([one, other]) => one[0] !== other[0]);
    const found = mixed.length > 0 ? mixed : all;
    return found.length > 0 ? found.map((pair) => pair.join("+")) : choices;
  }

  const STICHELN = {
    seats: [3, 4, 5, 6, 7, 8],
    deck: (seats) => ({
      cards: deck(seats <= 5 ? "GNRBY" : "GNRBYV", 0, [8, 11, 14, 14, 17, 18][seats - 3]),
      hand: seats === 8 ? 14 : 15,
    }),
    rounds: () => 5,
    phases: [designate, playTricks, turnUp],
    kept: 0,
    colours: (choices) => choices,
    open: true,
    passes: () => false,
    trump: (number) => number,
    zeros: (leader) => leader,
    worth: number,
    balance: (special, others) => others - special,
    take,
    points,
  };

  const STICK_EM = {
    ...STICHELN,
    seats: [3, 4, 5, 6],
    deck: (seats) => ({
      cards: deck(seats <= 5 ? "RYGBV" : "RYGBVE", 0, [8, 11, 14, 14][seats - 3]),
      hand: 15,
    }),
    rounds: (seats) => seats,
    zeros: () => null,
  };

  /** What each modifier puts on its axes, in the order they have in a name. */
  const MODIFIERS = {
    reverse: { trump: (number) => -number, balance: (special, others) => special - others },
    mild: { worth: () => 5 },
    aggravated: { colours: pairs },
    hazy: { open: false },
    delayed: { phases: [playTricks, name] },
  };

  /** A game with all modifiers that mean something together: names and rules. */
  function family(name, plain) {
    let variants = [[name, plain]];
    for (const [modifier, changes] of Object.entries(MODIFIERS)) {
      const changed = variants
        .filter(([, game]) => modifier !== "delayed" || game.open)
        .map(([before, game]) => [`${before}+${modifier}`, { ...game, ...changes }]);
      variants = [...variants, ...changed];
    }
    return variants;
  }

  Stichkampf.rules.STICHELN = [...family("sticheln", STICHELN), ...family("stick-em", STICK_EM)];
})();
