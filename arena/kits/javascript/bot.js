// A bot for Stichkampf: one file, nothing but Node.
//
// The referee starts this program and asks it questions on stdin, one JSON object a line. The
// answers go to stdout in the same way; stderr is free for your own log (console.error). Your
// strategy goes into `strategy`: one function for each kind of decision. The rest is the loop.
//
// A question holds everything that your seat may know, so there is nothing to remember from one
// question to the next. This is why one process can play 64 games at once, which is fast and
// costs you nothing: questions of different games just follow one another.
"use strict";

// Your strategy. Each function takes a question and returns one of its options:
//   question.variant  the rules, such as "sticheln+mild"; `arena rules` explains them
//   question.options  the legal choices
//   question.view     the table as your seat sees it. What you need most:
//     seat        your seat, counted clockwise from 0
//     scores      the score of every seat in the rounds before
//     hand        your cards, such as "R7": a colour's letter and a number
//     leader      the seat that leads the trick on the table
//     trick       the cards on the table in the order of play; empty if you lead
//     tricks      the finished tricks of this round: their leader, cards and winner
//     designated  the designating cards of every seat, null while they lie face down
const strategy = {
  // Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you. The
  // card counts as won by you, so it is a low one, or with Reverse a high one.
  designate({ variant, options }) {
    return best(variant, options, (option) => total(option.split("+")));
  },

  // All games: the card you play to the trick. A low one seldom does harm.
  play({ variant, options, view }) {
    const colours = new Set(view.trick.map(colour));
    if (variant === "hat-trick" && colours.size === 2) {
      // A card of the third colour would be a pass and cost 2 points.
      const joining = options.filter((card) => colours.has(colour(card)));
      if (joining.length > 0) return lowest(joining, number);
    }
    return lowest(options, number);
  },

  // With Delayed: the special colour, or pair "B+R", that you name after the last trick.
  delayed({ variant, options, view }) {
    const won = view.tricks
      .filter((trick) => trick.winner === view.seat)
      .flatMap((trick) => trick.cards);
    const worth = (option) => total(won.filter((card) => option.includes(colour(card))));
    return best(variant, options, worth);
  },

  // Was sticht: the task token you take before the first round.
  token: ({ options }) => lowest(options, difficulty),

  // Was sticht: the card you take from the column.
  pick: ({ options }) => lowest(options, number),

  // Was sticht: the task among your tokens that you try in this round.
  task: ({ options }) => lowest(options, difficulty),

  // Was sticht: the token you get rid of as a dealer who succeeded.
  discard: ({ options }) => highest(options, difficulty),
};

const colour = (card) => card[0];
const number = (card) => Number(card.slice(1));
const total = (cards) => cards.reduce((sum, card) => sum + number(card), 0);

const EASY_FIRST = [
  "no_red", "no_blue", "no_green", "no_yellow", "last_trick", "exactly_2",
  "fewest_tricks", "exactly_3", "most_tricks", "exactly_1", "exactly_4", "no_trick",
];
const difficulty = (task) => EASY_FIRST.indexOf(task);

// The option for which `key` gives least, or most; of equal ones the first.
const lowest = (options, key) => options.reduce((a, b) => (key(b) < key(a) ? b : a));
const highest = (options, key) => options.reduce((a, b) => (key(b) > key(a) ? b : a));

// Special colours cost what they are worth; with Reverse they bring it.
const best = (variant, options, worth) =>
  (variant.includes("reverse") ? highest : lowest)(options, worth);

// The line that answers a message, or nothing; what is not known is ignored.
function hear(message) {
  switch (message.type) {
    case "hello":
      return line({ type: "ready", games: 64 });
    case "decide": {
      const known = Object.hasOwn(strategy, message.kind);
      const choice = known ? strategy[message.kind](message) : message.options[0];
      return line({ type: "choose", id: message.id, choice });
    }
    case "fault":
      console.error(`The referee says: ${message.text}`);
      return "";
    default: // "start" and "result" tell when a game begins and how it ended
      return "";
  }
}

const line = (message) => JSON.stringify(message) + "\n";

// The loop: answer all questions there are, then wait for more. When the referee hangs up there
// is nothing left to wait for, and Node ends.
const PATIENCE = 10; // milliseconds
let rest = "";
process.stdin.setEncoding("utf8").on("data", (batch) => {
  const lines = (rest + batch).split("\n");
  rest = lines.pop();
  let answers = "";
  let begun = performance.now();
  for (const each of lines) {
    answers += hear(JSON.parse(each));
    // One write for many answers is fast. But the clock runs until an answer is sent, so none is
    // kept back while you think about the next question.
    if (performance.now() - begun > PATIENCE) {
      process.stdout.write(answers);
      answers = "";
      begun = performance.now();
    }
  }
  process.stdout.write(answers);
});
