"use strict";
// Where seats are around the table, clockwise, and which way their cards lie from the middle.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** Places on a grid of twelve columns and three rows, with the felt in the middle. */
  const AREAS = {
    bottom: ["3 / 4 / 4 / 10", 0, 1],
    left: ["2 / 1 / 3 / 4", -1, 0],
    right: ["2 / 10 / 3 / 13", 1, 0],
    top: ["1 / 4 / 2 / 10", 0, -1],
    topLeft: ["1 / 1 / 2 / 7", -0.62, -0.92],
    topRight: ["1 / 7 / 2 / 13", 0.62, -0.92],
    bottomLeft: ["3 / 1 / 4 / 7", -0.62, 0.92],
    bottomRight: ["3 / 7 / 4 / 13", 0.62, 0.92],
    farTopLeft: ["1 / 1 / 2 / 5", -0.66, -0.94],
    farTop: ["1 / 5 / 2 / 9", 0, -1],
    farTopRight: ["1 / 9 / 2 / 13", 0.66, -0.94],
    nearLeft: ["3 / 1 / 4 / 5", -0.66, 0.94],
    nearMiddle: ["3 / 5 / 4 / 9", 0, 1],
    nearRight: ["3 / 9 / 4 / 13", 0.66, 0.94],
  };

  /** Clockwise from below the table on. */
  const ROUND = {
    3: ["bottom", "left", "right"],
    4: ["bottom", "left", "top", "right"],
    5: ["bottom", "left", "topLeft", "topRight", "right"],
    6: ["bottomLeft", "left", "topLeft", "topRight", "right", "bottomRight"],
    7: ["bottomLeft", "left", "farTopLeft", "farTop", "farTopRight", "right", "bottomRight"],
    8: [
      ...["nearMiddle", "nearLeft", "left", "farTopLeft"],
      ...["farTop", "farTopRight", "right", "nearRight"],
    ],
  };

  /** The place of a seat, {area, x, y}; whoever looks on sits below the table. */
  replay.placeOf = (seat, seats, viewer) => {
    const turned = (seat - (viewer ?? 0) + seats) % seats;
    const [area, x, y] = AREAS[ROUND[seats][turned]];
    return { area, x, y };
  };
})();
