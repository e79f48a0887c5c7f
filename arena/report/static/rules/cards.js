"use strict";
// Cards: a card is its token, such as `R7`, a colour's letter and a number.
(() => {
  const rules = ((globalThis.Stichkampf ??= {}).rules ??= {});

  /** The colours in the order cards sort in: blue, brown, green, grey, red, violet, yellow. */
  const COLOURS = [..."BNGERVY"];

  const number = (card) => Number(card.slice(1));
  const place = (card) => 100 * COLOURS.indexOf(card[0]) + number(card);

  Object.assign(rules, {
    COLOURS,
    number,

    /** The cards in the fixed order: by colour name, then by number. */
    inOrder: (cards) => [...cards].sort((one, other) => place(one) - place(other)),

    /** The cards of these colours with the numbers from `low` to `top`, colour by colour. */
    deck: (colours, low, top) =>
      [...colours].flatMap((colour) =>
        Array.from({ length: top - low + 1 }, (_, at) => `${colour}${low + at}`),
      ),

    /** What is left of the cards or tokens held when one is gone. */
    without: (held, gone) => {
      const at = held.indexOf(gone);
      return held.filter((_, place) => place !== at);
    },

    /** What something is for each seat. */
    bySeat: (seats, what) => Array.from({ length: seats }, (_, seat) => what(seat)),

    /** The seats clockwise from one on. */
    from: (seats, leader) => rules.bySeat(seats, (place) => (leader + place) % seats),

    /** The place of the greatest number; of equal ones it is the first. */
    greatest: (numbers) => numbers.indexOf(Math.max(...numbers)),

    /** The rank of each seat by its standing, 1 is best; equal seats share the better rank. */
    ranks: (standing) =>
      standing.map((own) => 1 + standing.filter((other) => other > own).length),
  });
})();
