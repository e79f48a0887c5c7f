// Loads the scripts it is named and answers requests on stdin, one JSON object on each line:
//
//   {"unpack": base64}                     the games, each with its steps, or the error
//   {"steps": record}                      its steps, or the error
//   {"unfulfilled": record}                the same where no task is ever fulfilled
//   {"golden": [variant, seats, seed]}     as tests/golden.py plays it
//   {"shuffle": [seed, draw, items]}       the items in their order; the seed is text
"use strict";
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { runInThisContext } = require("node:vm");

for (const filename of process.argv.slice(2)) {
  runInThisContext(readFileSync(filename, "utf-8"), { filename });
}
const { unpack, rules } = globalThis.Stichkampf;

function replayed(record) {
  try {
    return { steps: rules.steps(record) };
  } catch (error) {
    return { error: said(error) };
  }
}

/** What an error says, if it is one that is meant for people. */
function said(error) {
  return error.constructor === Error ? error.message : `not meant: ${error.stack}`;
}

function unfulfilled(record) {
  const usual = Object.values(rules.TASKS).map((task) => task.fulfilled);
  for (const task of Object.values(rules.TASKS)) task.fulfilled = () => false;
  const told = replayed(record);
  Object.values(rules.TASKS).forEach((task, at) => (task.fulfilled = usual[at]));
  return told;
}

function generator(x) {
  return (n) => {
    x = BigInt.asUintN(64, x * 6364136223846793005n + 1442695040888963407n);
    return Number((x >> 33n) % BigInt(n));
  };
}

function golden(variant, seats, seed) {
  const below = generator(2n * BigInt(seed));
  const decide = generator(2n * BigInt(seed) + 1n);
  let [ended, rounds] = [null, 0];
  const tell = (event, fields) => {
    if (event === "scored") rounds += 1;
    if (event === "ended") ended = fields;
  };
  const shuffle = (_, items) => {
    const order = [...items];
    for (let i = order.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  };
  const game = rules.VARIANTS.get(variant).play({ seats, first: 0, tell, shuffle });
  let due = game.next();
  while (!due.done) due = game.next(due.value.map(({ options }) => options[decide(options.length)]));
  const winners = ended.ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  return { game: variant, players: seats, seed, scores: ended.scores, winners, rounds };
}

const ANSWERS = {
  steps: replayed,
  unfulfilled,
  golden: (game) => golden(...game),
  shuffle: (draw) => rules.shuffle(...draw),
  unpack: async (base64) => {
    try {
      const games = await unpack(base64);
      return { games: games.map((kept) => ({ kept, ...replayed(kept.record) })) };
    } catch (error) {
      return { error: said(error) };
    }
  },
};

(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const [[asked, given]] = Object.entries(JSON.parse(line));
    const answer = await ANSWERS[asked](given);
    const text = JSON.stringify(answer, (_, v) => (typeof v === "bigint" ? `${v}` : v));
    process.stdout.write(`${text}\n`);
  }
})();
