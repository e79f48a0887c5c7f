// Loads the scripts it is named and answers requests on stdin, one JSON object on each line:
//
//   {"game": record, "viewer": seat}   the stops of the game, each with the table after it as
//                                      the seat sees it, what is said and what was remarked
//   {"call": [name, ...arguments]}     what a function of Stichkampf.replay gives
//   {"printable": text}                the text as it is shown
"use strict";
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { runInThisContext } = require("node:vm");

for (const filename of process.argv.slice(2)) {
  runInThisContext(readFileSync(filename, "utf-8"), { filename });
}
const { printable, replay, rules } = globalThis.Stichkampf;

function game({ record, viewer }) {
  const stops = replay.timeline(rules.steps(record), record.seats, record);
  const options = replay.options(record);
  const tops = replay.tabletops(stops, record.seats, viewer);
  const running = replay.running(record.variant);
  const remarks = replay.remarks(record, stops, options);
  const name = (seat) => `seat ${seat}`;
  return {
    options,
    lines: replay.lines(stops).map((line) => line.stops.length),
    rounds: replay.rounds(stops),
    leaps: stops.map((_, at) => [replay.leap(stops, at, -1), replay.leap(stops, at, 1)]),
    stops: stops.map((stop, at) => ({
      ...stop,
      found: replay.seek(stops, `#${stop.anchor}`),
      chosen: stop.choices.map(({ place }) => replay.seek(stops, `p${place}`)),
      state: tops[at],
      running: record.bots.map((_, seat) => running(tops[at], seat)),
      said: replay
        .sentences(record, stop, tops[at], viewer)
        .map((sentence) => replay.plain(sentence, name)),
      named: replay.placeName(stop),
      remarks: replay.heard(remarks[at], viewer),
      beats: replay.beats(stop),
    })),
  };
}

const ANSWERS = { game, printable, call: ([name, ...given]) => replay[name](...given) };

(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const [[asked, given]] = Object.entries(JSON.parse(line));
    process.stdout.write(`${JSON.stringify(ANSWERS[asked](given) ?? null)}\n`);
  }
})();
