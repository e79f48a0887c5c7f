"use strict";
// What could have been chosen at every choice of a game: the game played once more for its options.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** The options of each choice, by its place in the record. */
  replay.options = ({ variant, seats, seed, first = 0, choices }) => {
    const { VARIANTS, shuffle } = S.rules;
    const table = { seats, first, tell: () => {}, shuffle: (...draw) => shuffle(seed, ...draw) };
    const game = VARIANTS.get(variant).play(table);
    const offered = [];
    for (let due = game.next(); !due.done; ) {
      const made = offered.length;
      if (made + due.value.length > choices.length) break; // it was broken off
      offered.push(...due.value.map(({ options }) => options));
      due = game.next(choices.slice(made, offered.length));
    }
    return offered;
  };
})();
