"use strict";
// Lines of a game to read: the round at hand up to the stop, and the whole game as a transcript.
(() => {
  const { replay } = Stichkampf;
  const { element, fill } = replay;

  /** A trick or column: cards in the order they were laid, with their seats, and who takes it. */
  function trick({ names, standIns }, line) {
    const { cards, takers, kind, stops } = line;
    const cells = cards.map(({ seat, card, passed }, at) => {
      const best = takers?.includes(seat);
      const marks = `${best ? " wins" : ""}${passed ? " passed" : ""}`;
      const chosen = stops[at]?.choices[0];
      const sign = `${best ? "*" : ""}${passed ? "×" : ""}`;
      return element("span", `cell${marks}`, [
        replay.seatNumber(seat, names.length),
        chosen && standIns.has(chosen.place) ? element("b", "bad", "!") : null,
        replay.chip(card),
        sign,
      ]);
    });
    if (!takers) return cells;
    const who = takers.flatMap((seat, at) => [at ? ", " : "", replay.who(seat, names)]);
    const nobody = ["nobody"];
    const ending = kind === "pick" ? "hint → " : "→ ";
    return [...cells, element("span", "takers", [ending, ...(takers.length ? who : nobody)])];
  }

  /** Everything else is said in sentences. */
  function told(view, { at, stops }) {
    const { record, names, tops, viewer } = view;
    return stops.flatMap((stop, place) =>
      replay
        .sentences(record, stop, tops[at + place], viewer)
        .map((parts) => element("span", "told", replay.sentence(parts, names))),
    );
  }

  /** What everybody was dealt, for a line of the transcript. */
  function hands(view, { at, kind }) {
    if (kind !== "deal") return [];
    return view.tops[at].hands.slice(0, view.names.length).flatMap((cards, seat) => {
      const known = cards.filter(Boolean);
      if (!known.length) return [];
      const chips = known.map((card) => replay.chip(card));
      return [element("span", "told hand-line", [replay.who(seat, view.names), " ", ...chips])];
    });
  }

  /** A line with a link to its stop. */
  function row(view, line, more = []) {
    const number = line.number ? `${line.kind === "pick" ? "column" : "trick"} ${line.number}` : "";
    const words = number || replay.placeName(line.stops[0]);
    const sign = line.number ? String(line.number) : "¶";
    const link = element("a", `line-link${line.number ? "" : " unnumbered"}`, sign, {
      href: `#${line.anchor}`,
      title: `Go to ${words}`,
      "aria-label": `Go to ${words}`,
    });
    const body = line.cards ? trick(view, line) : [...told(view, line), ...more];
    return element("li", line.cards ? "line trick-line" : "line", [link, element("div", "", body)]);
  }

  /** Draws what happened in the round at hand, up to the stop. */
  replay.drawLog = (holder, view) => {
    const { stops, at, rounds } = view;
    const begins = [0, ...rounds.map((round) => round.at)].filter((start) => start <= at).at(-1);
    const lines = replay.lines(stops.slice(begins, at + 1));
    const rows = lines.map((line) => row(view, { ...line, at: line.at + begins }));
    fill(holder, rows);
    requestAnimationFrame(() => holder.scrollTo(0, holder.scrollHeight));
  };

  /** Draws the whole game, round by round. */
  replay.drawTranscript = (holder, view) => {
    const parts = [];
    for (const line of replay.lines(view.stops)) {
      if (line.kind === "deal" || line.kind === "end" || !parts.length) {
        const words = replay.placeName(line.stops[0]).replace(", the deal", "");
        const list = element("ol", "lines");
        parts.push({ list, section: element("section", "", [element("h3", "", words), list]) });
      }
      parts.at(-1).list.append(row(view, line, hands(view, line)));
    }
    fill(
      holder,
      parts.map(({ section }) => section),
    );
  };
})();
