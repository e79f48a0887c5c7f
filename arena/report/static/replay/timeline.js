"use strict";
// A game as a row of stops, from card to card, each with its place in the game and an anchor.
// Pure: from the steps of a game, without a page.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** The kind of stop that an event begins. */
  const BEGINS = {
    "tokens-shown": "tokens",
    "token-taken": "token",
    "round-began": "deal",
    designated: "designated",
    played: "card",
    passed: "card",
    picked: "pick",
    "task-chosen": "tasks",
    "task-judged": "judged",
    discarded: "discard",
    revealed: "revealed",
    named: "named",
    scored: "scored",
    ended: "end",
  };

  /** Which events go on with a stop of a kind, instead of beginning another. */
  const JOINS = {
    deal: ["dealt", "left-over", "laid-out", "trumps-shown"],
    designated: ["designated"],
    card: ["took", "set-aside"],
    pick: ["hinted"],
    tasks: ["task-chosen"],
    judged: ["task-judged", "discarded"],
    revealed: ["revealed"],
    named: ["named"],
  };

  /** What stands in an anchor after the round, for stops that are no cards. */
  const NAMED = {
    deal: "",
    trumps: "trumps",
    designated: "special",
    tasks: "tasks",
    judged: "judged",
    discard: "discard",
    revealed: "revealed",
    named: "named",
    scored: "scored",
  };

  /** Whether an event belongs to the stop before it. */
  function joins(stop, { event, seat }, seats) {
    if (!stop) return false;
    return JOINS[stop.kind]?.includes(event) || (event === "picked" && seat === seats);
  }

  /** How far the game is when a stop begins: rounds, tricks, columns and cards count from 1. */
  class Counter {
    round = 0;
    trick = 0;
    card = 0;
    column = 0;
    token = 0;
    going = false;

    /** The place and anchor of a new stop. */
    place(kind, event) {
      if (kind === "deal") Object.assign(this, { round: event.round + 1, trick: 0, column: 0 });
      if (kind === "card") return this.count("trick", "t");
      if (kind === "pick") return this.count("column", "d");
      if (kind === "token") return { token: ++this.token, anchor: `token${this.token}` };
      if (kind === "tokens" || kind === "end") return { anchor: kind };
      return { round: this.round, anchor: `r${this.round}${NAMED[kind]}` };
    }

    /** One more card of a trick, or of a column of the draft. */
    count(what, letter) {
      if (!this.going) Object.assign(this, { [what]: this[what] + 1, card: 0, going: true });
      const { round, card } = { round: this.round, card: ++this.card };
      const anchor = `r${round}${letter}${this[what]}c${card}`;
      return { round, [what]: this[what], card, anchor };
    }
  }

  /**
   * The stops of a game: {kind, events, choices, step, anchor} and, where it has them, round,
   * trick, column and card. Choices stand at the first stop of their step.
   */
  replay.timeline = (steps, seats, { stopped = false } = {}) => {
    const stops = [];
    const counter = new Counter();
    steps.forEach(({ choices, events }, step) => {
      let stop = null;
      for (const event of events) {
        if (!joins(stop, event, seats)) {
          const kind = event.event === "trumps-shown" ? "trumps" : BEGINS[event.event];
          if (!kind) throw new Error(`"${event.event}" is an event this page does not know.`);
          const made = stop ? [] : choices;
          stop = { kind, step, events: [], choices: made, ...counter.place(kind, event) };
          stops.push(stop);
        }
        stop.events.push(event);
        if (["took", "set-aside", "hinted"].includes(event.event)) counter.going = false;
      }
    });
    if (stopped) {
      const step = steps.length - 1;
      stops.push({ kind: "stopped", step, events: [], choices: [], anchor: "end" });
    }
    return stops;
  };

  /** Whether a stop begins a trick, a column, or something that is neither. */
  const opens = (stop) => stop.card === undefined || stop.card === 1;

  /** The next stop where something new begins, or the one before; the ends hold. */
  replay.leap = (stops, at, way) => {
    let place = at + way;
    while (place > 0 && place < stops.length - 1 && !opens(stops[place])) place += way;
    return Math.min(Math.max(place, 0), stops.length - 1);
  };

  /** The rounds of a game, each with the stop it begins at. */
  replay.rounds = (stops) =>
    stops.flatMap(({ kind, round }, at) => (kind === "deal" ? [{ round, at }] : []));

  /**
   * The stop of an anchor: r2t5c3, r2d4c1 in a draft, r2t5 for its first card, r2, r2special,
   * tokens, token7, end, or p57 for choice 57 of the record. -1 if there is none.
   */
  replay.seek = (stops, anchor) => {
    const wanted = String(anchor ?? "").replace(/^#/, "");
    const choice = /^p(\d+)$/.exec(wanted);
    if (choice) {
      const place = Number(choice[1]);
      return stops.findIndex(({ choices }) => choices.some((one) => one.place === place));
    }
    const first = /^r\d+[td]\d+$/.test(wanted) ? `${wanted}c1` : wanted;
    return stops.findIndex((stop) => stop.anchor === first);
  };
})();
