"use strict";
// Was sticht: tokens, a draft under hidden trumps, tasks, tricks, discards.
(() => {
  const { TASKS, bySeat, deck, from, greatest, inOrder, number, ranks, without } = Stichkampf.rules;

  const COLOURS = [..."RGYB", null];
  const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, null];
  const CARDS = deck("RGYB", 1, 9);
  const COLUMNS = 9;
  const TOKENS_EACH = 5;
  const LAST_ROUND = 100;

  const distinct = (tokens) => [...new Set(tokens)];

  /** All cards of the trump colour and all of the trump number form one suit. */
  const suit = (card, trumps) =>
    card[0] === trumps.colour || number(card) === trumps.number ? "trump" : card[0];

  /** How strong a card is where a suit was led. */
  function strength(card, led, trumps) {
    if (number(card) === trumps.number) return card[0] === trumps.colour ? 300 : 200;
    if (card[0] === trumps.colour) return 100 + number(card);
    return card[0] === led ? number(card) : 0;
  }

  /** The place of the card that wins a trick or column. */
  const strongest = (cards, trumps) =>
    greatest(cards.map((card) => strength(card, suit(cards[0], trumps), trumps)));

  /** Everybody in turn takes a token until all have five. */
  function* takeTokens({ seats, first, tell }) {
    const tokens = bySeat(seats, () => []);
    let supply = Object.keys(TASKS).flatMap((task) => [task, task]);
    tell("tokens-shown", { dealer: first, tasks: supply });
    for (let taken = 0; taken < TOKENS_EACH * seats; taken++) {
      const seat = (first + taken) % seats;
      const [task] = yield [{ seat, kind: "token", options: distinct(supply) }];
      tell("token-taken", { seat, task });
      tokens[seat] = [...tokens[seat], task].sort();
      supply = without(supply, task);
    }
    return tokens;
  }

  /** Trumps are drawn and the cards laid out. */
  function deal({ seats, shuffle, tell }, round, dealer) {
    const trumps = {
      colour: shuffle(3 * round, COLOURS).at(-1),
      number: shuffle(3 * round + 1, NUMBERS).at(-1),
    };
    const order = shuffle(3 * round + 2, CARDS);
    const columns = bySeat(COLUMNS, (at) =>
      inOrder(order.filter((_, place) => place % COLUMNS === at)),
    );
    tell("round-began", { round, leader: (dealer + 1) % seats });
    tell("laid-out", { columns });
    tell("trumps-shown", { ...trumps, to: [dealer] });
    return { trumps, columns };
  }

  /** Column by column everybody picks a card, and the dealer gives a hint; then all see trumps. */
  function* draft({ seats, tell }, dealer, columns, trumps) {
    const hands = bySeat(seats, () => []);
    for (const [at, column] of columns.entries()) {
      const order = from(seats, (dealer + 1 + at) % seats);
      const picked = [];
      let options = column;
      for (const seat of order) {
        const [card] = yield [{ seat, kind: "pick", options }];
        tell("picked", { seat, card });
        options = without(options, card);
        picked.push(card);
        hands[seat].push(card);
      }
      for (const card of options) tell("picked", { seat: seats, card }); // the ghost's
      tell("hinted", { seat: [...order, seats][strongest([...picked, ...options], trumps)] });
    }
    tell("trumps-shown", trumps);
    return hands.map(inOrder);
  }

  /** Everybody but the dealer chooses a task, all at once. */
  function* chooseTasks({ seats, tell }, dealer, tokens) {
    const decisions = from(seats, 0)
      .filter((seat) => seat !== dealer)
      .map((seat) => ({ seat, kind: "task", options: distinct(tokens[seat]) }));
    const chosen = yield decisions;
    const tasks = bySeat(seats, () => null);
    decisions.forEach(({ seat }, at) => {
      tasks[seat] = chosen[at];
      tell("task-chosen", { seat, task: chosen[at] });
    });
    return tasks;
  }

  /** All tricks of a round, and what the seats have won with them. */
  function* playTricks({ seats, tell }, dealer, hands, trumps) {
    const tally = { tricks: bySeat(seats, () => 0), cards: bySeat(seats, () => []), last: null };
    let leader = (dealer + 1) % seats;
    while (hands[leader].length > 0) {
      const order = from(seats, leader);
      const trick = [];
      for (const seat of order) {
        const following = hands[seat].filter(
          (card) => trick.length > 0 && suit(card, trumps) === suit(trick[0], trumps),
        );
        const options = following.length > 0 ? following : hands[seat];
        const [card] = yield [{ seat, kind: "play", options }];
        tell("played", { seat, card });
        hands[seat] = without(hands[seat], card);
        trick.push(card);
      }
      leader = order[strongest(trick, trumps)];
      tell("took", { seat: leader, cards: trick });
      tally.tricks[leader] += 1;
      tally.cards[leader].push(...trick);
      tally.last = leader;
    }
    return tally;
  }

  /** Who fulfilled a task discards it, then a dealer who fulfils one that failed discards any. */
  function* judge({ seats, tell }, dealer, tokens, tasks, tally) {
    const discards = bySeat(seats, () => null);
    const discard = (seat, task) => {
      discards[seat] = task;
      tell("discarded", { seat, task });
    };
    const judged = tasks.flatMap((task, seat) => {
      if (task === null) return [];
      const by = (owner) => TASKS[task].fulfilled(owner, tally);
      return [{ seat, task, fulfilled: by(seat), by_dealer: by(dealer) }];
    });
    for (const judgement of judged) tell("task-judged", judgement);
    for (const { seat, task, fulfilled } of judged) if (fulfilled) discard(seat, task);
    if (judged.some(({ fulfilled, by_dealer }) => !fulfilled && by_dealer)) {
      const decision = { seat: dealer, kind: "discard", options: distinct(tokens[dealer]) };
      const [task] = yield [decision];
      discard(dealer, task);
    }
    return discards;
  }

  /** A whole game. */
  function* playDraft(table) {
    const { seats, first, tell } = table;
    let tokens = yield* takeTokens(table);
    const gone = bySeat(seats, () => []);
    const scores = () => gone.map((own) => own.length);
    for (let round = 0; round < LAST_ROUND && tokens.every((own) => own.length > 0); round++) {
      const dealer = (first + round) % seats;
      const { trumps, columns } = deal(table, round, dealer);
      const hands = yield* draft(table, dealer, columns, trumps);
      const tasks = yield* chooseTasks(table, dealer, tokens);
      const tally = yield* playTricks(table, dealer, hands, trumps);
      const discards = yield* judge(table, dealer, tokens, tasks, tally);
      tokens = tokens.map((own, seat) => without(own, discards[seat]));
      gone.forEach((own, seat) => own.push(...(discards[seat] === null ? [] : [discards[seat]])));
      tell("scored", { points: discards.map((task) => (task === null ? 0 : 1)), scores: scores() });
    }
    // By tokens discarded, then by the sum of their values.
    const standing = gone.map((own) => own.reduce((sum, task) => sum + 100 + TASKS[task].value, 0));
    tell("ended", { scores: scores(), ranks: ranks(standing) });
  }

  Stichkampf.rules.WAS_STICHT = { seats: [3, 4], play: playDraft };
})();
