"use strict";
// The points of the round that is being played, as far as they can be told from the table.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  const number = (card) => Number(card.slice(1));

  /** Sticheln and Stick 'Em: what won and designating cards bring with these special colours. */
  function designating(modifiers) {
    const worth = modifiers.includes("mild") ? () => 5 : number;
    const sign = modifiers.includes("reverse") ? 1 : -1;
    return (state, seat) => {
      const own = [...state.laid[seat], ...state.won[seat]];
      const special = state.special[seat];
      if (!special) return own.length ? null : 0;
      return own.reduce(
        (sum, card) => sum + (special.includes(card[0]) ? sign * worth(card) : -sign),
        0,
      );
    };
  }

  /** Hat Trick: the colour won most counts, all others and passes cost. */
  function hatTrick(state, seat) {
    const won = state.won[seat];
    const count = (colour) => won.filter((card) => card[0] === colour).length;
    return 2 * Math.max(...[..."BGR"].map(count)) - won.length - 2 * state.passed[seat].length;
  }

  /** Was sticht: a token discarded is a point. */
  const wasSticht = (state, seat) => (state.dropped[seat] ? 1 : 0);

  /** What a seat would score if the round ended here; null if that is not known. */
  replay.running = (variant) => {
    const [name, ...modifiers] = variant.split("+");
    if (name === "hat-trick") return hatTrick;
    return name === "was-sticht" ? wasSticht : designating(modifiers);
  };
})();
