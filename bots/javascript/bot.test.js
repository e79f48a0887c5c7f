// Replays the transcripts: the bot hears what the referee said and answers what it has to.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { hear } from "./talk.js";

const folder = new URL("transcripts/", import.meta.url);

for (const name of readdirSync(folder)) {
  test(name, () => {
    const lines = readFileSync(new URL(name, folder), "utf8").trimEnd().split("\n");
    const said = lines.map((line) => JSON.parse(line)).filter(({ to }) => to === "bot");
    assert.ok(said.some(({ message }) => message.type === "decide"));
    for (const { message } of said) check(message, hear(message));
  });
}

/**
 * Exactly `hello` and `decide` are answered, with the question's id and one of its options.
 *
 * @param {import("./messages.js").ToBot} message
 * @param {string} answer
 */
function check(message, answer) {
  if (message.type === "hello") {
    const { type, games = 1 } = JSON.parse(answer);
    assert.ok(answer.endsWith("}\n"));
    assert.equal(type, "ready");
    assert.ok(Number.isInteger(games) && games > 0, `it cannot hold ${games} games`);
  } else if (message.type === "decide") {
    const { type, id, choice } = JSON.parse(answer);
    assert.ok(answer.endsWith("}\n"));
    assert.deepEqual({ type, id }, { type: "choose", id: message.id });
    assert.ok(message.options.includes(choice), `${choice} is none of ${message.options}`);
  } else {
    assert.equal(answer, "");
  }
}
