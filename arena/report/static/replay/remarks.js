"use strict";
// What is remarked beside the choices of a game: notes, faults, times, and where the referee chose.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /**
   * For each stop, what is said of its choices: {seat, kind, choice, place, options, note, faults,
   * standsIn, wall, cpu}, and the faults that belong to no choice, without kind and choice.
   */
  replay.remarks = (record, stops, options) => {
    const guilty = new Set();
    const told = new Set();
    const tell = (holds) => {
      const found = record.faults.filter((fault) => !told.has(fault) && holds(fault));
      for (const fault of found) {
        told.add(fault);
        guilty.add(fault.seat);
      }
      return found;
    };
    const alone = (faults) => faults.map((fault) => ({ seat: fault.seat, faults: [fault] }));
    const chosen = ({ place, seat, kind, choice }) => {
      const faults = tell((fault) => fault.place === place && fault.seat === seat);
      return {
        seat,
        kind,
        choice,
        place,
        faults,
        options: options[place]?.length ?? 0,
        note: record.notes[place] ?? null,
        standsIn: faults.length > 0 || (record.wall[place] === 0 && guilty.has(seat)),
        wall: record.wall[place] ?? 0,
        cpu: record.cpu[place] ?? 0,
      };
    };
    return stops.map((stop, at) => {
      const before = at === 0 ? alone(tell((fault) => fault.place === null)) : [];
      const made = stop.choices.map(chosen);
      const rest = at === stops.length - 1 ? alone(tell(() => true)) : [];
      return [...before, ...made, ...rest];
    });
  };

  /** Those a viewer may know of: all, or what a seat itself remarked and did wrong. */
  replay.heard = (remarks, viewer) =>
    remarks.map((remark) =>
      viewer === null || viewer === remark.seat
        ? remark
        : { ...remark, note: null, faults: [], standsIn: false },
    );
})();
