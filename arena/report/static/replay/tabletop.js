"use strict";
// What lies on the table after every stop of a game, with all hands open or as one seat sees it.
// Pure: states are plain objects that share what did not change, so going to one is a look-up.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  const ORDER = "BNGERVY";
  const place = (card) => (card ? ORDER.indexOf(card[0]) * 100 + Number(card.slice(1)) : -1);
  /** Cards by the name of their colour, then by number; those unseen first. */
  replay.inOrder = (cards) => [...cards].sort((one, other) => place(one) - place(other));

  /** A list with one entry replaced. */
  const put = (list, index, value) => {
    const copy = [...list];
    copy[index] = value;
    return copy;
  };

  /** A list without one entry; of cards that are not seen, any will do. */
  const without = (list, gone) => {
    const found = list.indexOf(gone);
    const index = found < 0 ? list.indexOf(null) : found;
    return index < 0 ? list : [...list.slice(0, index), ...list.slice(index + 1)];
  };

  /** An event as a seat sees it: cards it does not see are null, and null is no event for it. */
  replay.veiled = (event, viewer) => {
    if (viewer === null || !event.to || event.to.includes(viewer)) return event;
    const blind = event.event === "dealt" || event.event === "designated";
    return blind ? { ...event, cards: event.cards.map(() => null) } : null;
  };

  const each = (seats, make) => Array.from({ length: seats }, make);
  const nothing = (seats) => each(seats, () => []);
  const none = (seats) => each(seats, () => null);

  /** The table before anything has happened. */
  const empty = (seats) => ({
    seats,
    scores: each(seats, () => 0),
    rounds: [], // what each round that is over brought: {points, scores, tricks}
    dealer: null,
    supply: [],
    tokens: nothing(seats),
    discarded: nothing(seats),
    ranks: null,
    over: false,
    ...cleared(seats, null, null),
  });

  /** What a new round begins with. */
  const cleared = (seats, round, leader) => ({
    round,
    leader,
    hands: nothing(seats + 1), // with the ghost's
    laid: nothing(seats),
    down: each(seats, () => false), // whether the designating cards lie face down
    special: none(seats), // colours, null while they are not known
    trick: [], // {seat, card, passed}
    takers: null, // {seat, cards} of a complete trick; empty if nobody took it
    tricks: each(seats, () => 0),
    won: nothing(seats),
    passed: nothing(seats),
    aside: [],
    leftOver: [],
    columns: [],
    picks: [], // of each column begun: {cards: {seat, card}, hint}
    trumps: null, // {colour, number, open}
    tasks: none(seats),
    judged: none(seats),
    dropped: none(seats), // the token discarded in this round
    points: null,
  });

  /** A card goes from a hand to the trick; the one before is cleared away. */
  function laid(state, { seat, card }, passed) {
    const trick = state.takers ? [] : state.trick;
    const hands = put(state.hands, seat, without(state.hands[seat], card));
    const next = { ...state, hands, trick: [...trick, { seat, card, passed }], takers: null };
    if (passed) next.passed = put(state.passed, seat, [...state.passed[seat], card]);
    return next;
  }

  /** Designating cards lie before a seat, face up or down. */
  function designated(state, { seat, cards, to }) {
    const hand = cards.reduce(without, state.hands[seat]);
    const known = cards.every(Boolean);
    return {
      ...state,
      hands: put(state.hands, seat, hand),
      laid: put(state.laid, seat, cards),
      down: put(state.down, seat, Boolean(to)),
      special: known ? put(state.special, seat, colours(cards)) : state.special,
    };
  }

  const colours = (cards) => [...new Set(cards.map((card) => card[0]))];

  /** The column a pick belongs to: the last, or a new one if that has its hint. */
  function picked(state, { seat, card }) {
    const last = state.picks.at(-1);
    const fresh = !last || last.hint !== null;
    const column = fresh ? { cards: [], hint: null } : last;
    const cards = [...column.cards, { seat, card }];
    const picks = [...(fresh ? state.picks : state.picks.slice(0, -1)), { ...column, cards }];
    const hand = replay.inOrder([...state.hands[seat], card]);
    return { ...state, picks, hands: put(state.hands, seat, hand) };
  }

  const HAPPEN = {
    "round-began": (state, { round, leader }) => ({
      ...state,
      ...cleared(state.seats, round, leader),
    }),
    dealt: (state, { seat, cards }) => ({ ...state, hands: put(state.hands, seat, cards) }),
    "left-over": (state, { cards }) => ({ ...state, leftOver: cards }),
    designated,
    revealed: (state, { seat, cards }) => ({
      ...state,
      laid: put(state.laid, seat, cards),
      down: put(state.down, seat, false),
      special: put(state.special, seat, colours(cards)),
    }),
    named: (state, { seat, colours: named }) => ({
      ...state,
      special: put(state.special, seat, named),
    }),
    played: (state, event) => laid(state, event, false),
    passed: (state, event) => laid(state, event, true),
    took: (state, { seat, cards }) => ({
      ...state,
      takers: [...(state.takers ?? []), { seat, cards }],
      tricks: put(state.tricks, seat, state.tricks[seat] + 1),
      won: put(state.won, seat, [...state.won[seat], ...cards]),
    }),
    "set-aside": (state, { cards }) => ({
      ...state,
      takers: [],
      aside: [...state.aside, ...cards],
    }),
    "tokens-shown": (state, { dealer, tasks }) => ({ ...state, dealer, supply: tasks }),
    "token-taken": (state, { seat, task }) => ({
      ...state,
      supply: without(state.supply, task),
      tokens: put(state.tokens, seat, [...state.tokens[seat], task].sort()),
    }),
    "laid-out": (state, { columns }) => ({ ...state, columns, supply: [] }),
    "trumps-shown": (state, { colour, number, to }) => ({
      ...state,
      trumps: { colour, number, open: !to },
    }),
    picked,
    hinted: (state, { seat }) => ({
      ...state,
      picks: put(state.picks, state.picks.length - 1, { ...state.picks.at(-1), hint: seat }),
    }),
    "task-chosen": (state, { seat, task }) => ({ ...state, tasks: put(state.tasks, seat, task) }),
    "task-judged": (state, { seat, fulfilled, by_dealer: byDealer }) => ({
      ...state,
      judged: put(state.judged, seat, { fulfilled, byDealer }),
    }),
    discarded: (state, { seat, task }) => ({
      ...state,
      tokens: put(state.tokens, seat, without(state.tokens[seat], task)),
      discarded: put(state.discarded, seat, [...state.discarded[seat], task]),
      dropped: put(state.dropped, seat, task),
    }),
    scored: (state, { points, scores }) => ({
      ...state,
      points,
      scores,
      rounds: [...state.rounds, { points, scores, tricks: state.tricks }],
    }),
    ended: (state, { scores, ranks }) => ({ ...state, scores, ranks, over: true }),
  };

  /** The next round's dealer sits to the left of this one's. */
  function dealt(state, stop) {
    if (stop.kind !== "deal" || state.dealer === null || !state.rounds.length) return state;
    return { ...state, dealer: (state.dealer + 1) % state.seats };
  }

  /** The state after each stop, as a seat sees it; `viewer` null is with all hands open. */
  replay.tabletops = (stops, seats, viewer = null) => {
    let state = empty(seats);
    return stops.map((stop) => {
      state = dealt(state, stop);
      for (const event of stop.events) {
        const seen = replay.veiled(event, viewer);
        if (seen) state = HAPPEN[seen.event](state, seen);
      }
      return state;
    });
  };
})();
