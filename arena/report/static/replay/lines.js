"use strict";
// A game line by line: the stops of a trick or column together, everything else by itself.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** What the stops of one line have in common. */
  const line = ({ kind, round, trick, column }, at) => {
    if (trick) return `t${round}.${trick}`;
    if (column) return `d${round}.${column}`;
    return kind === "token" ? kind : `at${at}`;
  };

  /** The cards of a line, as they were laid or picked. */
  const laid = (stops) =>
    stops
      .flatMap(({ events }) => events)
      .filter(({ event }) => ["played", "passed", "picked"].includes(event))
      .map(({ event, seat, card }) => ({ seat, card, passed: event === "passed" }));

  /** Who took the trick, or would have won the column; null while it goes on. */
  function takers(stops) {
    const events = stops.flatMap((stop) => stop.events);
    const took = events.filter(({ event }) => event === "took" || event === "hinted");
    if (took.length) return took.map(({ seat }) => seat);
    return events.some(({ event }) => event === "set-aside") ? [] : null;
  }

  /**
   * The lines of a game: {at, anchor, kind, number, round, stops, cards, takers}; `number` counts
   * tricks or columns, and `cards` and `takers` are of these alone.
   */
  replay.lines = (stops) => {
    const found = new Map();
    stops.forEach((stop, at) => {
      const key = line(stop, at);
      if (!found.has(key)) found.set(key, { at, stops: [] });
      found.get(key).stops.push(stop);
    });
    return [...found.values()].map(({ at, stops: own }) => {
      const { anchor, kind, round, trick, column } = own[0];
      const shared = { at, anchor, kind, round, stops: own };
      if (!trick && !column) return shared;
      return { ...shared, number: trick ?? column, cards: laid(own), takers: takers(own) };
    });
  };
})();
