"use strict";
// Every variant by its name; a record played again, step by step.
(() => {
  const { HAT_TRICK, STICHELN, WAS_STICHT, playRounds, shuffle } = Stichkampf.rules;

  /** What seats a variant is played by, and how. */
  const VARIANTS = new Map([
    ...[...STICHELN, ["hat-trick", HAT_TRICK]].map(([name, game]) => {
      return [name, { seats: game.seats, play: (table) => playRounds(game, table) }];
    }),
    ["was-sticht", WAS_STICHT],
  ]);

  /** The game of a record before its first step; `tell` is told every event. */
  function begin({ variant, seats, seed, first = 0 }, tell) {
    const game = VARIANTS.get(variant);
    if (!game) throw new Error(`there is no variant ${variant}`);
    if (!game.seats.includes(seats)) throw new Error(`${variant} is not played by ${seats}`);
    if (!(Number.isInteger(first) && first >= 0 && first < seats)) {
      throw new Error(`${variant}: a table of ${seats} has no seat ${first}`);
    }
    return game.play({ seats, first, tell, shuffle: (...draw) => shuffle(seed, ...draw) });
  }

  /**
   * The game of a record: steps of choices, {place, seat, kind, choice}, and the events they led
   * to. The first step is the deal. A game that was stopped gives the steps there are.
   */
  function steps(record) {
    const given = record.choices;
    const done = [];
    let step = { choices: [], events: [] };
    const game = begin(record, (event, fields) => step.events.push({ event, ...fields }));
    let place = 0;
    for (let due = game.next(); ; due = game.next(step.choices.map(({ choice }) => choice))) {
      done.push(step);
      if (due.done) break;
      if (place + due.value.length > given.length) {
        if (record.stopped) return done;
        throw new Error(`the choices of this game of ${record.variant} end before it is over`);
      }
      const choices = due.value.map((decision) => answered(record, decision, place++));
      step = { choices, events: [] };
    }
    if (place < given.length) {
      throw new Error(`the game is over, and ${given.length - place} more choices follow`);
    }
    return done;
  }

  /** A decision and what the record has for it, which must be one of its options. */
  function answered({ variant, choices }, { seat, kind, options }, place) {
    const choice = choices[place];
    if (!options.includes(choice)) {
      throw new Error(`${variant}: seat ${seat} cannot have answered ${choice} to ${kind}`);
    }
    return { place, seat, kind, choice };
  }

  Object.assign(Stichkampf.rules, { VARIANTS, steps });
})();
