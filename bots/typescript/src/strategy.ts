// Your strategy: one function for each kind of decision.
//
// Each takes a question and returns one of its options; or { choice, note }, and the note stands
// beside the choice in the replay. A question holds everything that your seat may know (see Decide
// in messages.ts), so there is nothing to remember from one to the next. This is why one process
// can play 64 games at once: their questions just follow one another.

import type { Decide, DesignatingView, DraftView, Result, Start } from "./messages.js";

/** One of the options, with or without a note. */
export type Choice = string | { choice: string; note?: string };

/** A game begins. What you want to remember of it, keep by its `game`. */
export function start(game: Start): void {}

/** A game has ended, unless you lost it by a fault. */
export function result(game: Result): void {}

/**
 * Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you. The card
 * counts as won by you, so it is a low one, or with Reverse a high one.
 */
export function designate({ variant, options }: Decide<DesignatingView>): Choice {
  return best(variant, options, (option) => total(option.split("+")));
}

/** All games: the card you play to the trick. A low one seldom does harm. */
export function play({ variant, options, view }: Decide): Choice {
  if (variant === "hat-trick") {
    const colours = new Set(view.trick.map(colour));
    const joining = options.filter((card) => colours.has(colour(card)));
    // A card of a third colour would be a pass and cost 2 points.
    if (colours.size === 2 && joining.length > 0) return lowest(joining, number);
  }
  return lowest(options, number);
}

/** With Delayed: the special colour, or pair "B+R", that you name after the last trick. */
export function delayed({ variant, options, view }: Decide<DesignatingView>): Choice {
  const tricks = view.tricks.filter((trick) => trick.winner === view.seat);
  const won = tricks.flatMap((trick) => trick.cards);
  return best(variant, options, (option) =>
    total(won.filter((card) => option.includes(colour(card)))),
  );
}

/** Was sticht: the task token you take before the first round. */
export function token({ options }: Decide<DraftView>): Choice {
  return lowest(options, difficulty);
}

/** Was sticht: the card you take from the column. */
export function pick({ options }: Decide<DraftView>): Choice {
  return lowest(options, number);
}

/** Was sticht: the task among your tokens that you try in this round. */
export function task({ options }: Decide<DraftView>): Choice {
  return lowest(options, difficulty);
}

/** Was sticht: the token you get rid of as a dealer who succeeded. */
export function discard({ options }: Decide<DraftView>): Choice {
  return highest(options, difficulty);
}

function colour(card: string): string {
  return card[0];
}

function number(card: string): number {
  return Number(card.slice(1));
}

function total(cards: string[]): number {
  return cards.reduce((sum, card) => sum + number(card), 0);
}

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

function difficulty(task: string): number {
  return EASY_FIRST.indexOf(task);
}

/** What makes one option better than another. */
type Key = (option: string) => number;

/** The option for which `key` gives least; of equal ones the first. */
function lowest(options: string[], key: Key): string {
  return options.reduce((a, b) => (key(b) < key(a) ? b : a));
}

/** The option for which `key` gives most; of equal ones the first. */
function highest(options: string[], key: Key): string {
  return options.reduce((a, b) => (key(b) > key(a) ? b : a));
}

/** Special colours cost what they are worth; with Reverse they bring it. */
function best(variant: string, options: string[], worth: Key): string {
  return variant.includes("reverse") ? highest(options, worth) : lowest(options, worth);
}
