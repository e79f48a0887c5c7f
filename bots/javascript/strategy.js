// Your strategy: one function for each kind of decision.
//
// Each takes a question and returns one of its options; or { choice, note }, and the note stands
// beside the choice in the replay. A question holds everything that your seat may know (see Decide
// in messages.js), so there is nothing to remember from one to the next. This is why one process
// can play 64 games at once: their questions just follow one another.

/** @import { Decide, DesignatingView, Result, Start } from "./messages.js" */

/**
 * One of the options, with or without a note.
 *
 * @typedef {string | { choice: string, note?: string }} Choice
 */

/**
 * A game begins. What you want to remember of it, keep by its `game`.
 *
 * @param {Start} game
 */
export function start(game) {}

/**
 * A game has ended, unless you lost it by a fault.
 *
 * @param {Result} game
 */
export function result(game) {}

/**
 * Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you. The card
 * counts as won by you, so it is a low one, or with Reverse a high one.
 *
 * @param {Decide} question
 */
function designate({ variant, options }) {
  return best(variant, options, (option) => total(option.split("+")));
}

/**
 * All games: the card you play to the trick. A low one seldom does harm.
 *
 * @param {Decide} question
 */
function play({ variant, options, view }) {
  if (variant === "hat-trick") {
    const colours = new Set(view.trick.map(colour));
    const joining = options.filter((card) => colours.has(colour(card)));
    // A card of a third colour would be a pass and cost 2 points.
    if (colours.size === 2 && joining.length > 0) return lowest(joining, number);
  }
  return lowest(options, number);
}

/**
 * With Delayed: the special colour, or pair "B+R", that you name after the last trick.
 *
 * @param {Decide} question
 */
function delayed({ variant, options, view }) {
  const { seat, tricks } = /** @type {DesignatingView} */ (view);
  const won = tricks.filter((trick) => trick.winner === seat).flatMap((trick) => trick.cards);
  return best(variant, options, (option) =>
    total(won.filter((card) => option.includes(colour(card)))),
  );
}

/**
 * Was sticht: the task token you take before the first round.
 *
 * @param {Decide} question
 */
function token({ options }) {
  return lowest(options, difficulty);
}

/**
 * Was sticht: the card you take from the column.
 *
 * @param {Decide} question
 */
function pick({ options }) {
  return lowest(options, number);
}

/**
 * Was sticht: the task among your tokens that you try in this round.
 *
 * @param {Decide} question
 */
function task({ options }) {
  return lowest(options, difficulty);
}

/**
 * Was sticht: the token you get rid of as a dealer who succeeded.
 *
 * @param {Decide} question
 */
function discard({ options }) {
  return highest(options, difficulty);
}

/**
 * The functions by the kind of decision.
 *
 * @type {Map<string, (question: Decide) => Choice>}
 */
export const strategy = new Map(
  Object.entries({ designate, play, delayed, token, pick, task, discard }),
);

/** @param {string} card */
const colour = (card) => card[0];

/** @param {string} card */
const number = (card) => Number(card.slice(1));

/** @param {string[]} cards */
const total = (cards) => cards.reduce((sum, card) => sum + number(card), 0);

/** The tasks of Was sticht, by how often one fulfils them. */
const EASY_FIRST = [
  "no_red",
  "no_blue",
  "no_green",
  "no_yellow",
  "last_trick",
  "exactly_2",
  "fewest_tricks",
  "exactly_3",
  "most_tricks",
  "exactly_1",
  "exactly_4",
  "no_trick",
];

/** @param {string} task */
const difficulty = (task) => EASY_FIRST.indexOf(task);

/**
 * The option for which `key` gives least; of equal ones the first.
 *
 * @param {string[]} options
 * @param {(option: string) => number} key
 */
const lowest = (options, key) => options.reduce((a, b) => (key(b) < key(a) ? b : a));

/**
 * The option for which `key` gives most; of equal ones the first.
 *
 * @param {string[]} options
 * @param {(option: string) => number} key
 */
const highest = (options, key) => options.reduce((a, b) => (key(b) > key(a) ? b : a));

/**
 * Special colours cost what they are worth; with Reverse they bring it.
 *
 * @param {string} variant
 * @param {string[]} options
 * @param {(option: string) => number} worth
 */
const best = (variant, options, worth) =>
  (variant.includes("reverse") ? highest : lowest)(options, worth);
