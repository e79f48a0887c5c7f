// Replays the transcripts: the bot hears what the referee said and answers what it has to.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { FromBot, ToBot } from "./messages.js";
import { hear } from "./talk.js";

/** A line of a transcript. */
type Said = { to: "bot"; message: ToBot } | { to: "referee"; message: FromBot };

const folder = new URL("../transcripts/", import.meta.url);

for (const name of readdirSync(folder)) {
  test(name, () => {
    const lines = readFileSync(new URL(name, folder), "utf8").trimEnd().split("\n");
    const said = lines.map((line) => JSON.parse(line) as Said);
    const heard = said.flatMap((each) => (each.to === "bot" ? [each.message] : []));
    assert.ok(heard.some((message) => message.type === "decide"));
    for (const message of heard) check(message, hear(message));
  });
}

/** Exactly `hello` and `decide` are answered, with the question's id and one of its options. */
function check(message: ToBot, answer: string): void {
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
