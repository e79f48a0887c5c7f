"use strict";
// A seat at the table: who sits there, what lies before it, its hand, and what it says.
(() => {
  const { replay } = Stichkampf;
  const { element, fill } = replay;

  /** What a seat is at a stop, in words. */
  function roles({ state, stop, due, record }, seat) {
    const found = [];
    const leads = state.trick.length && !state.takers ? state.trick[0].seat : null;
    if (state.dealer === seat) found.push(["dealer", "deals"]);
    if (leads === seat) found.push(["leader", "leads"]);
    if (state.takers?.some((taker) => taker.seat === seat) && stop.kind === "card") {
      found.push(["taker", "takes"]);
    }
    if (due.includes(seat)) found.push(["mover", "to move"]);
    if (state.over && record.ranks[seat] === 1) found.push(["taker", "wins"]);
    return found.map(([kind, words]) => element("span", `role ${kind}`, words));
  }

  /** The scores: of all rounds before, and of this one as far as it is known. */
  function score({ state, running, record, final }, seat) {
    if (final) return [element("b", "", replay.number(record.scores[seat])), " points"];
    if (state.round === null) return [];
    const now = state.points?.[seat] ?? running(state, seat);
    return [
      element("b", "", now === null ? "?" : replay.signed(now)),
      ` this round · ${replay.number(state.scores[seat])} in all`,
    ];
  }

  /** The panel of a seat; what it gives back draws it at a stop. */
  replay.seatPanel = (seat, { record, names }) => {
    const part = (className) => element("div", className);
    const parts = {
      roles: element("span", "roles"),
      score: part("score"),
      bubble: part("bubble"),
      special: part("special"),
      won: part("won"),
      tokens: part("tokens"),
      hand: part("hand-row"),
    };
    const link = replay.botLink(record.bots[seat].name, names[seat]);
    const number = replay.seatNumber(seat, record.seats);
    const head = element("div", "seat-head", [number, link, parts.roles]);
    const sums = element("div", "sums", [parts.score, parts.won]);
    const { bubble, special, tokens, hand } = parts;
    const panel = element("section", "seat", [head, sums, special, tokens, hand, bubble], {
      "aria-label": `seat ${seat}: ${names[seat]}`,
    });

    /** What the cards before a seat depend on; most of them stay from stop to stop. */
    const held = ({ state, allowed, viewer }) => [
      ...[state.hands[seat], state.laid[seat], state.down[seat], allowed.get(seat), viewer],
    ];
    let before = [];

    const draw = (view) => {
      const place = replay.placeOf(seat, record.seats, view.viewer);
      panel.style.gridArea = place.area;
      panel.classList.toggle("moves", view.due.includes(seat));
      panel.classList.toggle("took", Boolean(view.state.takers?.some((one) => one.seat === seat)));
      fill(parts.roles, roles(view, seat));
      fill(parts.score, score(view, seat));
      fill(parts.won, replay.won(view, seat));
      fill(special, replay.special(view, seat));
      fill(tokens, replay.tokens(view, seat));
      const now = held(view);
      if (now.some((value, at) => value !== before[at])) {
        fill(hand, [...replay.laidDown(view, seat), ...replay.hand(view, seat)]);
      }
      before = now;
      fill(bubble, said(view, seat));
    };
    return { panel, draw };
  };

  /** The ghost opposite the first seat: it gets what three seats leave of a column. */
  replay.ghostPanel = ({ record }) => {
    const hand = element("div", "hand-row");
    const number = replay.seatNumber(record.seats, record.seats);
    const name = element("span", "name", "the ghost");
    const head = element("div", "seat-head", [number, name, " out of the round"]);
    const panel = element("section", "seat ghost", [head, hand], { "aria-label": "the ghost" });
    panel.style.gridArea = replay.placeOf(2, 4, null).area;
    const draw = ({ state }) => {
      const cards = state.hands[record.seats];
      panel.hidden = !cards.length;
      fill(hand, replay.shownCards(cards, "hand", "cards of the ghost"));
    };
    return { panel, draw };
  };

  /** What the bot of a seat said with the choice at hand; a fault is marked as one. */
  function said({ remarks }, seat) {
    const own = remarks.filter((remark) => remark.seat === seat);
    const faults = own.flatMap(({ faults: wrong }) => wrong);
    const notes = own.filter(({ note }) => note).map(({ note }) => Stichkampf.printable(note));
    return [
      ...faults.map(({ fault }) =>
        element("p", "says wrong", `! ${Stichkampf.printable(fault)}`),
      ),
      ...notes.map((note) => element("p", "says", note)),
    ];
  }
})();
