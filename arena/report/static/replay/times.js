"use strict";
// How long a decision took, in words.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** Three digits at most, in the unit that suits. */
  replay.duration = (micros) => {
    const rounded = (value) => String(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
    if (micros < 1000) return `${Math.round(micros)} µs`;
    if (micros < 999_500) return `${rounded(micros / 1000)} ms`;
    const seconds = micros / 1e6;
    return seconds < 100 ? `${Math.round(seconds * 100) / 100} s` : `${Math.round(seconds)} s`;
  };

  /** The time of a choice; where no bot was asked it took none. */
  replay.took = (wall, cpu) =>
    wall === 0 ? "not asked" : `${replay.duration(wall)}, CPU ${replay.duration(cpu)}`;
})();
