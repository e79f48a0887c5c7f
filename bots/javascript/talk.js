// The talk with the referee: lines in, lines out. The decisions are made in strategy.js.

import { result, start, strategy } from "./strategy.js";

/** @import { FromBot, ToBot } from "./messages.js" */

/** How many games it can hold at once. */
const GAMES = 64;

/** Milliseconds after which answers are sent, even if more questions lie ready. */
const PATIENCE = 10;

/** Answer all questions there are, then wait for more; when the referee hangs up, Node ends. */
export function run() {
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (/** @type {string} */ batch) => {
    const lines = (rest + batch).split("\n");
    rest = lines.pop() ?? "";
    let answers = "";
    let begun = performance.now();
    for (const each of lines) {
      answers += hear(JSON.parse(each));
      // One write for many answers is fast. But the clock runs until an answer is sent, so none
      // is kept back while you think about the next question.
      if (performance.now() - begun > PATIENCE) {
        process.stdout.write(answers);
        answers = "";
        begun = performance.now();
      }
    }
    if (answers) process.stdout.write(answers);
  });
}

/**
 * The line that answers a message, or nothing; what is not known is ignored.
 *
 * @param {ToBot} message
 */
export function hear(message) {
  switch (message.type) {
    case "hello":
      return line({ type: "ready", games: GAMES });
    case "decide": {
      const decide = strategy.get(message.kind);
      const choice = decide ? decide(message) : message.options[0];
      const noted = typeof choice === "string" ? { choice } : choice;
      return line({ type: "choose", id: message.id, ...noted });
    }
    case "start":
      start(message);
      return "";
    case "result":
      result(message);
      return "";
    case "fault":
      console.error(`The referee says: ${message.text}`);
      return "";
    default:
      return "";
  }
}

/** @param {FromBot} message */
const line = (message) => JSON.stringify(message) + "\n";
