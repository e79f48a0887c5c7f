"use strict";
// What lies on the table of Was sticht before the tricks: tokens, and cards in columns.
(() => {
  const { replay } = Stichkampf;
  const { element } = replay;

  /** The tokens that can still be taken. */
  replay.supply = ({ state, stop }) => {
    const kinds = Object.keys(Stichkampf.rules.TASKS);
    const taken = stop.events.find(({ event }) => event === "token-taken")?.task;
    const tokens = kinds.map((task) => {
      const left = state.supply.filter((one) => one === task).length;
      const marks = `${left ? "" : "gone"}${task === taken ? " now" : ""}`;
      return element("li", "", [replay.token(task, marks), ` ×${left}`]);
    });
    return element("div", "supply", [
      element("p", "label", "Task tokens on the table"),
      element("ul", "", tokens),
    ]);
  };

  /** A column: its cards, who has picked which in what order, and the hint. */
  function column({ state, stop, record }, cards, at) {
    const picks = state.picks[at]?.cards ?? [];
    const hint = state.picks[at]?.hint ?? null;
    const last = stop.kind === "pick" && at === state.picks.length - 1 ? picks.at(-1)?.card : null;
    const next = stop.kind !== "deal" && hint === null && at === state.picks.length - 1;
    const shown = cards.map((card) => {
      const order = picks.findIndex((pick) => pick.card === card);
      const seat = order < 0 ? null : picks[order].seat;
      const who = seat === null ? "" : `, picked by ${seat === record.seats ? "the ghost" : seat}`;
      const mark = `small${seat === null ? "" : " picked"}${card === last ? " fresh" : ""}`;
      return element("div", "pick", [
        replay.shownCard(card, mark, who),
        seat === null ? null : replay.seatNumber(seat, record.seats),
      ]);
    });
    const winner = hint === record.seats ? "G" : hint;
    const said = element("div", "hint", hint === null ? "" : `→${winner}`);
    const head = element("div", "column-number", String(at + 1));
    return element("div", `column${next ? " current" : ""}`, [head, ...shown, said]);
  }

  /** All columns of a round. */
  replay.columns = (view) => {
    const ghost = view.record.seats === 3 ? "; G is the ghost" : "";
    return element("div", "columns", [
      ...view.state.columns.map((cards, at) => column(view, cards, at)),
      element("p", "legend", `→ the dealer’s hint: who would win the column as a trick${ghost}`),
    ]);
  };
})();
