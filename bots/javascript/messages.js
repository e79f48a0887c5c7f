/**
 * The messages of protocol 1, for editors and for `tsc --checkJs`; there is nothing to run here.
 * Fields that are not listed may come and are ignored.
 */

/** What the referee says. @typedef {Hello | Start | Decide | Result | Fault} ToBot */
/** What a bot says. @typedef {Ready | Choose} FromBot */
/** What a seat may know. @typedef {DesignatingView | HatTrickView | DraftView} View */

/**
 * The referee's first line to a process that has just started.
 *
 * @typedef {object} Hello
 * @property {"hello"} type Which message it is.
 * @property {number} protocol The version of the protocol spoken; this is 1.
 * @property {number} line The longest line a bot may send, in bytes, its newline included.
 * @property {number} games The most games a bot will be asked about at once, whatever it offers.
 * @property {Limits | null} limits The time a bot has; null: no clock runs.
 */

/**
 * A game begins, or begins again for a process that takes over from one that ended.
 *
 * @typedef {object} Start
 * @property {"start"} type Which message it is.
 * @property {number} game Stands for this game in all messages to this process.
 * @property {string} variant The rules played, such as `sticheln+mild`.
 * @property {number} seats How many sit at the table.
 * @property {number} seat Where the bot sits; seats are numbered clockwise from 0.
 * @property {number | null} rounds How many rounds are played; null: until somebody has finished.
 * @property {string[]} cards All cards there are in this game.
 * @property {number} seed For the bot's own chance, if it wants its games repeatable; tells nothing
 *   about the deal.
 * @property {string[] | null} [bots] Who sits where; absent where the opponents are anonymous.
 */

/**
 * A question, with everything the seat may know.
 *
 * @typedef {object} Decide
 * @property {"decide"} type Which message it is.
 * @property {number} game The game it is about.
 * @property {number} id To be echoed in the answer.
 * @property {string} variant The rules played, as in `start`.
 * @property {string} kind What is to be decided: `designate`, `play`, `delayed`, `token`, `pick`,
 *   `task`, `discard`.
 * @property {string[]} options The legal choices.
 * @property {View} view What the seat may know: one of three views, by the variant.
 * @property {Clock | null} clock The time there is; null: no clock runs.
 */

/**
 * A game is over.
 *
 * @typedef {object} Result
 * @property {"result"} type Which message it is.
 * @property {number} game The game it is about.
 * @property {number[]} scores The score of each seat.
 * @property {number[]} ranks The rank of each seat, 1 is best; who is at fault ranks below all
 *   others.
 */

/**
 * The bot broke the protocol; the referee has chosen for it where a choice was due.
 *
 * @typedef {object} Fault
 * @property {"fault"} type Which message it is.
 * @property {number | null} game The game it counts in; null: none that is going on.
 * @property {number | null} id The question that is settled by it; null: none was open.
 * @property {"exited" | "illegal" | "malformed" | "memory" | "out-of-turn" | "start" | "timeout" |
 *   "too-long"} fault What it is called.
 * @property {string} text What was wrong, for a person to read.
 */

/**
 * A bot's first line: it can play.
 *
 * @typedef {object} Ready
 * @property {"ready"} type Which message it is.
 * @property {string} [name] What the bot calls itself.
 * @property {string} [version] Which one of its kind it is.
 * @property {number} [games] How many games it can hold at once.
 * @property {string[] | null} [variants] The variants it plays, as names or patterns such as
 *   `sticheln*`; absent: all.
 */

/**
 * A bot's answer.
 *
 * @typedef {object} Choose
 * @property {"choose"} type Which message it is.
 * @property {number} id The question it answers.
 * @property {string} choice One of its options.
 * @property {string | null} [note] Something to find in the replay beside this decision; 1,000
 *   characters are kept.
 */

/**
 * The time a bot has, in seconds. `start`, `move` and `bank` are CPU time of the whole process
 * tree; `wall` is real time.
 *
 * @typedef {object} Limits
 * @property {number} start From the launch to `ready`.
 * @property {number} move For each decision.
 * @property {number} bank For each game: it pays for what goes over `move`.
 * @property {number} wall However little CPU time it takes, no answer takes longer, and no start if
 *   that has less.
 */

/**
 * The CPU time there is for one decision, in seconds.
 *
 * @typedef {object} Clock
 * @property {number} move For this decision alone.
 * @property {number} bank What is left for this game beyond `move`.
 */

/**
 * What a seat knows in Sticheln, Stick 'Em and all their variants.
 *
 * @typedef {object} DesignatingView
 * @property {number} seat Whose view it is: the bot's own seat.
 * @property {string} phase The phase of the round, which is the `kind` of the question.
 * @property {number} round The round, counted from 0.
 * @property {number[]} scores The points of each seat in the finished rounds.
 * @property {string[]} hand The cards in the seat's own hand.
 * @property {number} leader The seat that leads the trick on the table.
 * @property {string[]} trick The cards of the trick on the table in the order of play; the first is
 *   the leader's.
 * @property {Trick[]} tricks The finished tricks of this round, the first one first.
 * @property {string[]} [left_over] The cards of this round that could not be dealt evenly; absent:
 *   none.
 * @property {(string[] | null)[]} [designated] The designating cards of each seat, null where they
 *   lie face down; absent while there are none.
 * @property {DesignatingPast | null} [previous] The round before, until the first trick of this one
 *   is complete; absent: none.
 */

/**
 * The round before this one: all that lay face up at its end.
 *
 * @typedef {object} DesignatingPast
 * @property {Trick[]} tricks Its tricks, the first one first.
 * @property {number[]} points What each seat scored in it.
 * @property {string[][]} [designated] The designating cards of each seat; absent if there were
 *   none.
 * @property {string[][]} [special] The special colours of each seat.
 */

/**
 * A finished trick: the cards in the order of play, and the seat that won it, if any did.
 *
 * @typedef {object} Trick
 * @property {number} leader The seat that led it.
 * @property {string[]} cards The cards in the order of play; the first is the leader's.
 * @property {number | null} winner The seat that won it; null: nobody, it is set aside.
 */

/**
 * What a seat knows in Hat Trick.
 *
 * @typedef {object} HatTrickView
 * @property {number} seat Whose view it is: the bot's own seat.
 * @property {string} phase The phase of the round, which is the `kind` of the question.
 * @property {number} round The round, counted from 0.
 * @property {number[]} scores The points of each seat in the finished rounds.
 * @property {string[]} hand The cards in the seat's own hand.
 * @property {number} leader The seat that leads the trick on the table.
 * @property {string[]} trick The cards of the trick on the table in the order of play; the first is
 *   the leader's.
 * @property {DoubleTrick[]} tricks The finished tricks of this round, the first one first.
 * @property {string[]} [left_over] Absent: in Hat Trick all cards are dealt.
 * @property {(string[] | null)[]} [designated] Absent: in Hat Trick nothing is designated.
 * @property {HatTrickPast | null} [previous] The round before, until the first trick of this one is
 *   complete; absent: none.
 */

/**
 * The round before this one: all that lay face up at its end.
 *
 * @typedef {object} HatTrickPast
 * @property {DoubleTrick[]} tricks Its tricks, the first one first.
 * @property {number[]} points What each seat scored in it.
 * @property {string[][]} [designated] Absent: in Hat Trick nothing is designated.
 * @property {string[][]} [special] Absent: in Hat Trick no colour is special.
 */

/**
 * A finished trick or pair of tricks: the cards in the order of play, and who took each.
 *
 * @typedef {object} DoubleTrick
 * @property {number} leader The seat that led it.
 * @property {string[]} cards The cards in the order of play; the first is the leader's.
 * @property {(number | null)[]} takers The seat that took each card, in the order of `cards`; null
 *   for a card that was passed and stays with its owner.
 */

/**
 * What a seat knows in Was sticht: everything but the trumps during the draft.
 *
 * @typedef {object} DraftView
 * @property {number} seat Whose view it is: the bot's own seat.
 * @property {string} phase The phase of the round, which is the `kind` of the question.
 * @property {number} round The round, counted from 0.
 * @property {number[]} scores How many tokens each seat has discarded.
 * @property {number} dealer The seat that deals, and knows the trumps from the start.
 * @property {string[][]} tokens The tokens each seat holds.
 * @property {string[][]} discarded The tokens each seat has discarded, the first one first.
 * @property {string[]} supply The tokens on the table while they are taken, later none.
 * @property {string[][]} columns The layout of this round, column by column, as it was before any
 *   pick.
 * @property {Column[]} picks The columns that are completely picked, the first one first.
 * @property {Trumps | null} trumps The trumps of this round; null while this seat does not know
 *   them.
 * @property {(string | null)[]} tasks The task each seat has chosen, null for the dealer; empty
 *   until all have chosen.
 * @property {string[]} hand The cards in the seat's own hand.
 * @property {string[][]} hands The cards in the hand of each seat, which are public.
 * @property {number} leader The seat that leads the trick, or picks first from the column.
 * @property {string[]} trick The cards of the trick in the order of play, or of the column as
 *   picked.
 * @property {Trick[]} tricks The finished tricks of this round, the first one first.
 * @property {DraftPast | null} previous The round before, until the first column of this one is
 *   picked.
 */

/**
 * The round before this one: all that lay face up at its end.
 *
 * @typedef {object} DraftPast
 * @property {Trumps} trumps Its trumps.
 * @property {(string | null)[]} tasks The task each seat had chosen, null for its dealer.
 * @property {Trick[]} tricks Its tricks, the first one first.
 * @property {(string | null)[]} discards The token each seat discarded in it, null for none.
 */

/**
 * The trump colour and the trump number of a round; null where there is none.
 *
 * @typedef {object} Trumps
 * @property {string | null} colour The trump colour; null: there is none.
 * @property {number | null} number The trump number; null: there is none.
 */

/**
 * A column in the order of picking, and who the dealer says would have won it as a trick. With
 * three players the last card is the ghost's, whose seat is the one after the last, 3.
 *
 * @typedef {object} Column
 * @property {number} leader The seat that picked first.
 * @property {string[]} cards Its cards in the order of picking; with three seats the last is the
 *   ghost's.
 * @property {number} hint The seat that would have won it as a trick; with three seats 3 is the
 *   ghost.
 */

export {};
