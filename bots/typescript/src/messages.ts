// The messages of protocol 1. Fields that are not listed may come and are ignored.

/** What the referee says. */
export type ToBot = Hello | Start | Decide | Result | Fault;

/** What a bot says. */
export type FromBot = Ready | Choose;

/** What a seat may know. */
export type View = DesignatingView | HatTrickView | DraftView;

/** The referee's first line to a process that has just started. */
export interface Hello {
  type: "hello";
  /** The version of the protocol spoken; this is 1. */
  protocol: number;
  /** The longest line a bot may send, in bytes, its newline included. */
  line: number;
  /** The most games a bot will be asked about at once, whatever it offers. */
  games: number;
  /** The time a bot has; null: no clock runs. */
  limits: Limits | null;
}

/** A game begins, or begins again for a process that takes over from one that ended. */
export interface Start {
  type: "start";
  /** Stands for this game in all messages to this process. */
  game: number;
  /** The rules played, such as `sticheln+mild`. */
  variant: string;
  /** How many sit at the table. */
  seats: number;
  /** Where the bot sits; seats are numbered clockwise from 0. */
  seat: number;
  /** How many rounds are played; null: until somebody has finished. */
  rounds: number | null;
  /** All cards there are in this game. */
  cards: string[];
  /** For the bot's own chance, if it wants its games repeatable; tells nothing about the deal. */
  seed: number;
  /** Who sits where; absent where the opponents are anonymous. */
  bots?: string[] | null;
}

/** A question, with everything the seat may know. */
export interface Decide<V extends View = View> {
  type: "decide";
  /** The game it is about. */
  game: number;
  /** To be echoed in the answer. */
  id: number;
  /** The rules played, as in `start`. */
  variant: string;
  /** What is to be decided: `designate`, `play`, `delayed`, `token`, `pick`, `task`, `discard`. */
  kind: string;
  /** The legal choices. */
  options: string[];
  /** What the seat may know: one of three views, by the variant. */
  view: V;
  /** The time there is; null: no clock runs. */
  clock: Clock | null;
}

/** A game is over. */
export interface Result {
  type: "result";
  /** The game it is about. */
  game: number;
  /** The score of each seat. */
  scores: number[];
  /** The rank of each seat, 1 is best; who is at fault ranks below all others. */
  ranks: number[];
}

/** The bot broke the protocol; the referee has chosen for it where a choice was due. */
export interface Fault {
  type: "fault";
  /** The game it counts in; null: none that is going on. */
  game: number | null;
  /** The question that is settled by it; null: none was open. */
  id: number | null;
  /** What it is called. */
  fault:
    | "exited"
    | "illegal"
    | "malformed"
    | "memory"
    | "out-of-turn"
    | "start"
    | "timeout"
    | "too-long";
  /** What was wrong, for a person to read. */
  text: string;
}

/** A bot's first line: it can play. */
export interface Ready {
  type: "ready";
  /** What the bot calls itself. */
  name?: string;
  /** Which one of its kind it is. */
  version?: string;
  /** How many games it can hold at once. */
  games?: number;
  /** The variants it plays, as names or patterns such as `sticheln*`; absent: all. */
  variants?: string[] | null;
}

/** A bot's answer. */
export interface Choose {
  type: "choose";
  /** The question it answers. */
  id: number;
  /** One of its options. */
  choice: string;
  /** Something to find in the replay beside this decision; 1,000 characters are kept. */
  note?: string | null;
}

/** The time a bot has, in seconds. `start`, `move` and `bank` are CPU time of the whole process
 * tree; `wall` is real time. */
export interface Limits {
  /** From the launch to `ready`. */
  start: number;
  /** For each decision. */
  move: number;
  /** For each game: it pays for what goes over `move`. */
  bank: number;
  /** However little CPU time it takes, no answer takes longer, and no start if that has less. */
  wall: number;
}

/** The CPU time there is for one decision, in seconds. */
export interface Clock {
  /** For this decision alone. */
  move: number;
  /** What is left for this game beyond `move`. */
  bank: number;
}

/** What a seat knows in Sticheln, Stick 'Em and all their variants. */
export interface DesignatingView {
  /** Whose view it is: the bot's own seat. */
  seat: number;
  /** The phase of the round, which is the `kind` of the question. */
  phase: string;
  /** The round, counted from 0. */
  round: number;
  /** The points of each seat in the finished rounds. */
  scores: number[];
  /** The cards in the seat's own hand. */
  hand: string[];
  /** The seat that leads the trick on the table. */
  leader: number;
  /** The cards of the trick on the table in the order of play; the first is the leader's. */
  trick: string[];
  /** The finished tricks of this round, the first one first. */
  tricks: Trick[];
  /** The cards of this round that could not be dealt evenly; absent: none. */
  left_over?: string[];
  /** The designating cards of each seat, null where they lie face down; absent while there are
   * none. */
  designated?: (string[] | null)[];
  /** The round before, until the first trick of this one is complete; absent: none. */
  previous?: DesignatingPast | null;
}

/** The round before this one: all that lay face up at its end. */
export interface DesignatingPast {
  /** Its tricks, the first one first. */
  tricks: Trick[];
  /** What each seat scored in it. */
  points: number[];
  /** The designating cards of each seat; absent if there were none. */
  designated?: string[][];
  /** The special colours of each seat. */
  special?: string[][];
}

/** A finished trick: the cards in the order of play, and the seat that won it, if any did. */
export interface Trick {
  /** The seat that led it. */
  leader: number;
  /** The cards in the order of play; the first is the leader's. */
  cards: string[];
  /** The seat that won it; null: nobody, it is set aside. */
  winner: number | null;
}

/** What a seat knows in Hat Trick. */
export interface HatTrickView {
  /** Whose view it is: the bot's own seat. */
  seat: number;
  /** The phase of the round, which is the `kind` of the question. */
  phase: string;
  /** The round, counted from 0. */
  round: number;
  /** The points of each seat in the finished rounds. */
  scores: number[];
  /** The cards in the seat's own hand. */
  hand: string[];
  /** The seat that leads the trick on the table. */
  leader: number;
  /** The cards of the trick on the table in the order of play; the first is the leader's. */
  trick: string[];
  /** The finished tricks of this round, the first one first. */
  tricks: DoubleTrick[];
  /** Absent: in Hat Trick all cards are dealt. */
  left_over?: string[];
  /** Absent: in Hat Trick nothing is designated. */
  designated?: (string[] | null)[];
  /** The round before, until the first trick of this one is complete; absent: none. */
  previous?: HatTrickPast | null;
}

/** The round before this one: all that lay face up at its end. */
export interface HatTrickPast {
  /** Its tricks, the first one first. */
  tricks: DoubleTrick[];
  /** What each seat scored in it. */
  points: number[];
  /** Absent: in Hat Trick nothing is designated. */
  designated?: string[][];
  /** Absent: in Hat Trick no colour is special. */
  special?: string[][];
}

/** A finished trick or pair of tricks: the cards in the order of play, and who took each. */
export interface DoubleTrick {
  /** The seat that led it. */
  leader: number;
  /** The cards in the order of play; the first is the leader's. */
  cards: string[];
  /** The seat that took each card, in the order of `cards`; null for a card that was passed and
   * stays with its owner. */
  takers: (number | null)[];
}

/** What a seat knows in Was sticht: everything but the trumps during the draft. */
export interface DraftView {
  /** Whose view it is: the bot's own seat. */
  seat: number;
  /** The phase of the round, which is the `kind` of the question. */
  phase: string;
  /** The round, counted from 0. */
  round: number;
  /** How many tokens each seat has discarded. */
  scores: number[];
  /** The seat that deals, and knows the trumps from the start. */
  dealer: number;
  /** The tokens each seat holds. */
  tokens: string[][];
  /** The tokens each seat has discarded, the first one first. */
  discarded: string[][];
  /** The tokens on the table while they are taken, later none. */
  supply: string[];
  /** The layout of this round, column by column, as it was before any pick. */
  columns: string[][];
  /** The columns that are completely picked, the first one first. */
  picks: Column[];
  /** The trumps of this round; null while this seat does not know them. */
  trumps: Trumps | null;
  /** The task each seat has chosen, null for the dealer; empty until all have chosen. */
  tasks: (string | null)[];
  /** The cards in the seat's own hand. */
  hand: string[];
  /** The cards in the hand of each seat, which are public. */
  hands: string[][];
  /** The seat that leads the trick, or picks first from the column. */
  leader: number;
  /** The cards of the trick in the order of play, or of the column as picked. */
  trick: string[];
  /** The finished tricks of this round, the first one first. */
  tricks: Trick[];
  /** The round before, until the first column of this one is picked. */
  previous: DraftPast | null;
}

/** The round before this one: all that lay face up at its end. */
export interface DraftPast {
  /** Its trumps. */
  trumps: Trumps;
  /** The task each seat had chosen, null for its dealer. */
  tasks: (string | null)[];
  /** Its tricks, the first one first. */
  tricks: Trick[];
  /** The token each seat discarded in it, null for none. */
  discards: (string | null)[];
}

/** The trump colour and the trump number of a round; null where there is none. */
export interface Trumps {
  /** The trump colour; null: there is none. */
  colour: string | null;
  /** The trump number; null: there is none. */
  number: number | null;
}

/** A column in the order of picking, and who the dealer says would have won it as a trick. With
 * three players the last card is the ghost's, whose seat is the one after the last, 3. */
export interface Column {
  /** The seat that picked first. */
  leader: number;
  /** Its cards in the order of picking; with three seats the last is the ghost's. */
  cards: string[];
  /** The seat that would have won it as a trick; with three seats 3 is the ghost. */
  hint: number;
}
