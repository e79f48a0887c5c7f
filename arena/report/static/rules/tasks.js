"use strict";
// The tasks of Was sticht: when each is fulfilled, and what its token counts in a tie.
(() => {
  const noColour = (colour) => ({
    value: 3,
    fulfilled: (seat, { cards }) => cards[seat].every((card) => card[0] !== colour),
  });
  const exactly = (count, value) => ({
    value,
    fulfilled: (seat, { tricks }) => tricks[seat] === count,
  });
  const others = (seat, tricks) => tricks.filter((_, other) => other !== seat);

  /** Every kind of token by its name, in the order options have. */
  Stichkampf.rules.TASKS = {
    exactly_1: exactly(1, 4),
    exactly_2: exactly(2, 4),
    exactly_3: exactly(3, 5),
    exactly_4: exactly(4, 9),
    fewest_tricks: {
      value: 6,
      fulfilled: (seat, { tricks }) => tricks[seat] < Math.min(...others(seat, tricks)),
    },
    last_trick: { value: 4, fulfilled: (seat, { last }) => last === seat },
    most_tricks: {
      value: 5,
      fulfilled: (seat, { tricks }) => tricks[seat] > Math.max(...others(seat, tricks)),
    },
    no_blue: noColour("B"),
    no_green: noColour("G"),
    no_red: noColour("R"),
    no_trick: { value: 9, fulfilled: (seat, { tricks }) => tricks[seat] === 0 },
    no_yellow: noColour("Y"),
  };
})();
