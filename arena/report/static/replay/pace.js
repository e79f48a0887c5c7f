"use strict";
// Plays a game by itself: a stop after another, longer where there is more to take in.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** Cards that could be played while a person takes this in. */
  const LONGER = {
    ...{ deal: 4, trumps: 3, designated: 4, tasks: 4, judged: 4 },
    ...{ revealed: 4, named: 4, scored: 5, discard: 2 },
  };

  /** How long a stop is shown, counted in cards. */
  replay.beats = ({ kind, events }) => {
    const complete = events.some(({ event }) => ["took", "set-aside", "hinted"].includes(event));
    return LONGER[kind] ?? (complete ? 2 : 1);
  };

  /** A player: `next` goes on and says whether there is more, `changed` is told if it runs. */
  replay.pace = ({ stop, next, changed }) => {
    let timer = null;
    let speed = 2; // cards a second
    const wait = () => {
      timer = setTimeout(() => {
        if (next()) wait();
        else halt();
      }, (1000 * replay.beats(stop())) / speed);
    };
    const halt = () => {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      changed(false);
    };
    const start = () => {
      if (timer !== null || !next()) return;
      wait();
      changed(true);
    };
    return {
      halt,
      toggle: () => (timer === null ? start() : halt()),
      running: () => timer !== null,
      setSpeed: (value) => {
        speed = value;
      },
    };
  };
})();
