// The talk with the referee: lines in, lines out. The decisions are made in strategy.ts.

import type { Decide, DesignatingView, DraftView, FromBot, ToBot } from "./messages.js";
import * as strategy from "./strategy.js";

/** How many games it can hold at once. */
const GAMES = 64;

/** Milliseconds after which answers are sent, even if more questions lie ready. */
const PATIENCE = 10;

/** Answer all questions there are, then wait for more; when the referee hangs up, Node ends. */
export function run(): void {
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (batch: string) => {
    const lines = (rest + batch).split("\n");
    rest = lines.pop() ?? "";
    let answers = "";
    let begun = performance.now();
    for (const each of lines) {
      answers += hear(JSON.parse(each) as ToBot);
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

/** The line that answers a message, or nothing; what is not known is ignored. */
export function hear(message: ToBot): string {
  switch (message.type) {
    case "hello":
      return line({ type: "ready", games: GAMES });
    case "start":
      strategy.start(message);
      return "";
    case "decide": {
      const choice = choose(message);
      const noted = typeof choice === "string" ? { choice } : choice;
      return line({ type: "choose", id: message.id, ...noted });
    }
    case "result":
      strategy.result(message);
      return "";
    case "fault":
      console.error(`The referee says: ${message.text}`);
      return "";
    default:
      return "";
  }
}

/** Ask the function for the kind of decision, which also says what view there is. */
function choose(question: Decide): strategy.Choice {
  switch (question.kind) {
    case "designate":
      return strategy.designate(question as Decide<DesignatingView>);
    case "play":
      return strategy.play(question);
    case "delayed":
      return strategy.delayed(question as Decide<DesignatingView>);
    case "token":
      return strategy.token(question as Decide<DraftView>);
    case "pick":
      return strategy.pick(question as Decide<DraftView>);
    case "task":
      return strategy.task(question as Decide<DraftView>);
    case "discard":
      return strategy.discard(question as Decide<DraftView>);
    default:
      return question.options[0];
  }
}

function line(message: FromBot): string {
  return JSON.stringify(message) + "\n";
}
