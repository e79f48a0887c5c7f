"use strict";
// What happens at a stop, in sentences. A sentence is a list of texts and of things that are shown
// in their own way: {seat}, {card}, {colour}, {task}.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  const { listed } = replay;
  const cards = (tokens) =>
    tokens.every(Boolean)
      ? listed(tokens.map((card) => ({ card })))
      : [tokens.length === 1 ? "a card" : `${tokens.length} cards`];
  const colours = (letters) => listed(letters.map((colour) => ({ colour })));
  const trumps = ({ colour, number }) => [
    ...(colour ? [{ colour }] : ["no colour"]),
    number === null ? " and no number" : ` and number ${number}`,
  ];

  /** What the cards of a double trick are called. */
  const whose = (event, events) =>
    events.filter((other) => other.event === "took").length > 1
      ? ["the ", { colour: event.cards[0][0] }, " cards"]
      : ["the trick"];

  const SAID = {
    "tokens-shown": ({ dealer }) => [
      "The task tokens lie open. ",
      { seat: dealer },
      " takes first.",
    ],
    "token-taken": ({ seat, task }) => [{ seat }, " takes the token ", { task }, "."],
    "round-began": ({ round, leader }, { state }) => [
      `Round ${round + 1} begins. `,
      ...(state.dealer === null ? [] : [{ seat: state.dealer }, " deals, "]),
      { seat: leader },
      state.dealer === null ? " leads." : " picks first and leads.",
    ],
    "left-over": ({ cards: left }) => ["Left over: ", ...cards(left), "."],
    "laid-out": ({ columns }) => [`The cards lie open in ${columns.length} columns.`],
    "trumps-shown": ({ to, ...shown }) => [
      to ? "The dealer alone sees the trumps: " : "All see the trumps: ",
      ...trumps(shown),
      ".",
    ],
    designated: ({ seat, cards: down, to }) => [
      { seat },
      " designates ",
      ...cards(down),
      to ? ", face down." : ".",
    ],
    revealed: ({ seat, cards: up }) => [{ seat }, " turns up ", ...cards(up), "."],
    named: ({ seat, colours: named }) => [{ seat }, " names ", ...colours(named), "."],
    played: ({ seat, card }, { stop }) => [
      { seat },
      stop.card === 1 ? " leads " : " plays ",
      { card },
      ".",
    ],
    passed: ({ seat, card }) => [{ seat }, " passes with ", { card }, "."],
    took: (event, { stop }) => [
      { seat: event.seat },
      " takes ",
      ...whose(event, stop.events),
      ".",
    ],
    "set-aside": () => ["Only zeros: nobody takes the trick."],
    picked: ({ seat, card }, { state }) => [
      { seat },
      seat === state.seats ? " gets " : " picks ",
      { card },
      ".",
    ],
    hinted: ({ seat }) => ["The dealer says: ", { seat }, " would win this column."],
    "task-chosen": ({ seat, task }) => [{ seat }, " chooses the task ", { task }, "."],
    "task-judged": ({ seat, task, fulfilled, by_dealer: dealer }) => [
      { seat },
      fulfilled ? " has fulfilled " : " has missed ",
      { task },
      !fulfilled && dealer ? ", and the dealer has fulfilled it." : ".",
    ],
    discarded: ({ seat, task }) => [{ seat }, " discards ", { task }, "."],
    scored: ({ points, scores }, { state }) => [
      `Round ${state.round + 1} is over: `,
      ...listed(
        points.map((brought, seat) => [
          { seat },
          ` ${replay.signed(brought)} (${replay.number(scores[seat])})`,
        ]),
      ),
      ".",
    ],
  };

  /** Who won, by what is written down: who is at fault comes last. */
  function result({ scores, ranks }, over) {
    if (!over) return ["The game was broken off here, at a fault."];
    const best = ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
    const winners = listed(best.map((seat) => [{ seat }, ` (${replay.number(scores[seat])})`]));
    return [...winners, best.length > 1 ? " share the victory." : " wins."];
  }

  /** The sentences of a stop, one for each event that a viewer sees. */
  replay.sentences = (record, stop, state, viewer = null) => {
    const over = stop.kind === "end";
    if (over || stop.kind === "stopped") return [result(record, over)];
    const seen = stop.events.map((event) => replay.veiled(event, viewer)).filter(Boolean);
    const said = seen.flatMap((event) => {
      const sentence = SAID[event.event]?.(event, { stop, state });
      return sentence ? [sentence] : [];
    });
    const hand = stop.events.find(({ event }) => event === "dealt")?.cards.length;
    return hand ? [...said, [`Everybody has ${hand} cards.`]] : said;
  };

  /** A sentence as plain text; `name` says what a seat is called. */
  replay.plain = (sentence, name) =>
    sentence
      .map((part) => {
        if (typeof part === "string") return part;
        if ("seat" in part) return name(part.seat);
        if ("card" in part) return replay.cardName(part.card);
        return "task" in part ? `“${replay.taskName(part.task)}”` : replay.colourName(part.colour);
      })
      .join("");

  /** Stops of a round that are no cards. */
  const PARTS = {
    ...{ deal: "the deal", designated: "designating", trumps: "the trumps", tasks: "the tasks" },
    ...{ judged: "tasks judged", discard: "a discard", revealed: "cards turned up" },
    ...{ named: "colours named", scored: "scores" },
  };

  /** Where a stop is: "Round 2, trick 5, card 3". */
  replay.placeName = (stop) => {
    if (stop.kind === "tokens" || stop.kind === "token") return "Token draft";
    if (stop.kind === "end") return "The end";
    if (stop.kind === "stopped") return "Broken off";
    const parts = [`Round ${stop.round}`];
    if (stop.trick) parts.push(`trick ${stop.trick}`);
    if (stop.column) parts.push(`column ${stop.column}`);
    if (stop.card) parts.push(`card ${stop.card}`);
    if (PARTS[stop.kind]) parts.push(PARTS[stop.kind]);
    return parts.join(", ");
  };
})();
