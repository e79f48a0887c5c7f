"use strict";
// The middle of the table: the trick, each card towards its seat, and what concerns all.
(() => {
  const { replay } = Stichkampf;
  const { element, fill } = replay;

  /** Whether a card took its trick, or its colour of a double trick. */
  const takes = ({ takers }, { seat, card }) =>
    Boolean(takers?.some((taker) => taker.seat === seat && taker.cards.includes(card)));

  const isTrump = (trumps, card) =>
    Boolean(trumps) && (card[0] === trumps.colour || Number(card.slice(1)) === trumps.number);

  /** A card of the trick with its place in the order, and what is special about it. */
  function laid(view, one, order) {
    const { state, stop, viewer, record } = view;
    const wins = takes(state, one);
    const fresh = stop.kind === "card" && order === state.trick.length - 1;
    const marks = [
      one.passed && ["pass", "pass"],
      wins && ["wins", "★ takes"],
      !one.passed && !wins && isTrump(state.trumps, one.card) && ["trump", "trump"],
    ].filter(Boolean);
    const words = marks.map(([, mark]) => `, ${mark}`).join("");
    const label = `, card ${order + 1}, ${one.seat} ${view.names[one.seat]}${words}`;
    const names = ["laid-card", ...marks.map(([name]) => name), fresh ? "fresh" : ""].join(" ");
    const holder = element("div", names, [
      replay.shownCard(one.card, "big", label),
      element("span", "order", String(order + 1), {
        "aria-hidden": "true",
        title: `card ${order + 1} of the trick`,
      }),
      element("span", "from", [replay.seatNumber(one.seat, record.seats)], {
        "aria-hidden": "true",
        title: `from seat ${one.seat}`,
      }),
      ...marks.map(([name, mark]) =>
        element("span", `mark ${name}`, mark, { "aria-hidden": "true" }),
      ),
    ]);
    const { x, y } = replay.placeOf(one.seat, record.seats, viewer);
    holder.style.setProperty("--x", x);
    holder.style.setProperty("--y", y);
    return holder;
  }

  /** The tricks of a double trick by colour, and the passes. */
  function piles({ state }) {
    const joined = state.trick.filter(({ passed }) => !passed);
    const colours = [...new Set(joined.map(({ card }) => card[0]))];
    const pile = (words, cards) =>
      element("div", "pile", [element("span", "label", words), ...cards]);
    const chips = (holds) =>
      state.trick.filter(holds).map((one) =>
        replay.chip(one.card, takes(state, one) ? "wins" : one.passed ? "passed" : ""),
      );
    const tricks = colours.map((colour, at) =>
      pile(
        colours.length > 1 ? `${at ? "2nd" : "1st"} trick` : "trick",
        chips(({ card, passed }) => !passed && card[0] === colour),
      ),
    );
    const passes = chips(({ passed }) => passed);
    return passes.length ? [...tricks, pile("passes", passes)] : tricks;
  }

  /** Who came where. */
  function final({ record, names }) {
    const order = names.map((_, seat) => seat).sort((a, b) => record.ranks[a] - record.ranks[b]);
    const rows = order.map((seat) =>
      element("li", "", [
        `${record.ranks[seat]}. `,
        replay.who(seat, names),
        element("b", "", ` ${replay.number(record.scores[seat])}`),
      ]),
    );
    return element("ul", "final", rows);
  }

  /** What is said in the very middle. */
  function caption(view) {
    const { state, stop, record, inAll } = view;
    const of = inAll ? ` of ${inAll}` : "";
    const lines = [];
    if (stop.kind === "stopped") return [element("b", "", "Broken off")];
    if (stop.kind === "end") return [element("b", "", "The end"), final(view)];
    const trick = stop.trick ? `, trick ${stop.trick}` : "";
    const what = { deal: "the deal", scored: "is over" }[stop.kind];
    if (state.round !== null) lines.push(element("b", "", `Round ${state.round + 1}${of}${trick}`));
    if (what) lines.push(element("span", "", what));
    if (record.variant === "hat-trick" && state.trick.length) lines.push(...piles(view));
    if (state.takers && !state.takers.length) lines.push(element("span", "", "nobody takes it"));
    return lines;
  }

  /** Cards that nobody has in this round. */
  function outside({ state }) {
    const rows = [];
    if (state.over) return rows;
    if (state.leftOver.length) rows.push(["left over", state.leftOver]);
    if (state.aside.length) rows.push(["set aside", state.aside]);
    return rows.map(([words, cards]) =>
      element("div", "outside", [
        element("span", "label", words),
        ...cards.map((card) => replay.chip(card)),
      ]),
    );
  }

  /** The trumps of Was sticht, as far as they are known. */
  function trumps({ state, viewer }) {
    if (state.round === null || state.dealer === null || state.over) return [];
    const known = state.trumps;
    const shown = known
      ? [
          known.colour
            ? replay.colourChip(known.colour)
            : element("span", "none", "no colour"),
          known.colour ? ` ${replay.colourName(known.colour)} and ` : " and ",
          element("b", "", known.number === null ? "no number" : String(known.number)),
        ]
      : ["face down"];
    const own = viewer === null ? " (dealer only)" : " (only you know)";
    const who = known?.open ? "" : known ? own : " (dealer only)";
    return [element("div", "trumps", [element("span", "label", "trumps "), ...shown, who])];
  }

  /** Draws the middle of the table. */
  replay.drawCentre = (felt, view) => {
    const { state, stop } = view;
    const drafting = ["tokens", "token"].includes(stop.kind);
    const picking = state.columns.length > 0 && !state.trick.length && !state.judged.some(Boolean);
    felt.classList.toggle("wide", drafting || picking);
    if (drafting) return fill(felt, replay.supply(view));
    if (picking) return fill(felt, [...trumps(view), replay.columns(view)]);
    return fill(felt, [
      element("div", "caption", [...caption(view), ...trumps(view), ...outside(view)]),
      ...(state.over ? [] : state.trick.map((one, order) => laid(view, one, order))),
    ]);
  };
})();
