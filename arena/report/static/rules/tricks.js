"use strict";
// The engine of games played in rounds of tricks: deal, play, take, score, next round.
//
// The rules of a game are a value: how `deck` and `rounds` depend on the seats, the `phases` of a
// round, how many cards are `kept` at its end, which card `passes`, how to `take` a trick and the
// `points` of a seat. A phase is a generator over the rules, the table and the round.
(() => {
  const { bySeat, from, inOrder, ranks, without } = Stichkampf.rules;

  /** A new round, dealt. */
  function deal({ deck }, { seats, first, shuffle, tell }, number) {
    const { cards, hand } = deck(seats);
    const order = shuffle(number, cards);
    const leader = (first + number) % seats;
    const hands = bySeat(seats, (seat) => inOrder(order.slice(seat * hand, (seat + 1) * hand)));
    const leftOver = inOrder(order.slice(seats * hand));
    tell("round-began", { round: number, leader });
    hands.forEach((own, seat) => tell("dealt", { seat, cards: own, to: [seat] }));
    if (leftOver.length > 0) tell("left-over", { cards: leftOver });
    return {
      leader,
      hands,
      won: bySeat(seats, () => []),
      passed: bySeat(seats, () => 0),
      special: bySeat(seats, () => []),
    };
  }

  /** Tricks are played until everybody has just the cards left that are kept. */
  function* playTricks(game, { seats, tell }, round) {
    const { hands } = round;
    while (hands[0].length > game.kept) {
      const order = from(seats, round.leader);
      const trick = [];
      for (const seat of order) {
        const [card] = yield [{ seat, kind: "play", options: hands[seat] }];
        hands[seat] = without(hands[seat], card);
        trick.push(card);
        tell(game.passes(trick) ? "passed" : "played", { seat, card });
      }
      round.leader = game.take(order, trick, round, tell);
    }
  }

  /** A whole game. */
  function* playRounds(game, table) {
    const { seats, tell } = table;
    let scores = bySeat(seats, () => 0);
    for (let number = 0; number < game.rounds(seats); number++) {
      const round = deal(game, table, number);
      for (const phase of game.phases) yield* phase(game, table, round);
      const points = bySeat(seats, (seat) => game.points(round, seat));
      scores = scores.map((before, seat) => before + points[seat]);
      tell("scored", { points, scores });
    }
    tell("ended", { scores, ranks: ranks(scores) });
  }

  Object.assign(Stichkampf.rules, { playRounds, playTricks });
})();
