"use strict";
// What is a seat's own: designating cards, tricks, tokens and its hand.
(() => {
  const { replay } = Stichkampf;
  const { element } = replay;

  /** The special colours as far as they are known, and what of them was won. */
  replay.special = ({ state, record }, seat) => {
    const colours = state.special[seat];
    const kind = replay.specialName(record.variant);
    const laid = state.laid[seat];
    if (!laid.length && !colours) return [];
    const named = laid.length ? [] : colours; // else the cards that lie there tell
    const chips = named.map((colour) => replay.colourChip(colour));
    const won = colours ? state.won[seat].filter((card) => colours.includes(card[0])) : [];
    const own = replay.inOrder(won).map((card) => replay.chip(card));
    const down = state.down[seat] ? ", face down" : "";
    const also = own.length ? [element("span", "label", "· won"), ...own] : [];
    return [element("span", "label", `${kind}${down}`), ...chips, ...also];
  };

  /** The designating cards themselves, face down as long as they lie so. */
  replay.laidDown = ({ state }, seat) => {
    const down = state.down[seat];
    const words = `designated${down ? ", face down" : ""}`;
    const cards = state.laid[seat];
    return cards.length ? [replay.shownCards(cards, `laid${down ? " down" : ""}`, words)] : [];
  };

  /** What a seat has won. */
  replay.won = ({ state, record }, seat) => {
    if (state.round === null) return [];
    const [tricks, cards] = [state.tricks[seat], state.won[seat]];
    const parts = [`${tricks} ${tricks === 1 ? "trick" : "tricks"}`];
    if (record.variant === "hat-trick") {
      for (const colour of "BGR") {
        const count = cards.filter((card) => card[0] === colour).length;
        if (count) parts.push(" ", replay.colourChip(colour, count));
      }
      const passes = state.passed[seat].length;
      if (passes) parts.push(` · ${passes} passed`);
    }
    return parts;
  };

  /** The tokens of a seat: its own, the task of the round, and those it is rid of. */
  replay.tokens = ({ state }, seat) => {
    const [own, judged, dropped] = [state.tokens[seat], state.judged[seat], state.dropped[seat]];
    const chosen = dropped ? -1 : own.indexOf(state.tasks[seat]);
    const marks = judged ? ["chosen missed", "✗ "] : ["chosen", "▸ "];
    const shown = own.map((token, at) => replay.token(token, ...(at === chosen ? marks : [])));
    const last = state.discarded[seat].length - 1;
    const gone = state.discarded[seat].map((token, at) =>
      replay.token(token, dropped && at === last ? "gone now" : "gone", "✓ "),
    );
    return [...shown, ...gone];
  };

  /** The hand; where some cards may not be played, those are dimmed. */
  replay.hand = ({ state, due, allowed, names }, seat) => {
    const may = due.includes(seat) && allowed.get(seat);
    const held = state.hands[seat];
    if (!held.length) return [];
    const playable = new Set(may || held);
    const some = held.some((card) => playable.has(card));
    const mark = (card) => (may && some && card && !playable.has(card) ? "barred" : "");
    return [replay.shownCards(held, "hand", `hand of ${seat} ${names[seat]}`, mark)];
  };
})();
