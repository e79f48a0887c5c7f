// Every message of protocol 1, as a type.
//
// A field that is absent is 0, "" or empty, and a field that is not listed here is ignored, so that
// the bot goes on playing when the protocol grows. Null is NONE for a number, a string that is
// NULL, or a list whose count is NONE; other structures that may be null have a field has_...
// beside them.
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NONE = -1 };

typedef struct {
  int count;
  const char **items;
} Strings;

typedef struct {
  int count;
  int *items;
} Ints;

typedef struct {
  int count;
  Strings *items;
} StringLists;

// The time a bot has, in seconds; all but `wall` is CPU time of everything it has started.
typedef struct {
  // From the launch to `ready`.
  double start;
  // For each decision.
  double move;
  // For each game: it pays for what goes over `move`.
  double bank;
  // However little CPU time it takes, no answer takes longer in real time.
  double wall;
} Limits;

// The referee's first line to a process that has just started.
typedef struct {
  // The version of the protocol spoken; this is 1.
  int protocol;
  // The longest line a bot may send, in bytes, its newline included.
  int line;
  // The most games a bot will be asked about at once, whatever it offers.
  int games;
  // The time a bot has; none: no clock runs.
  bool has_limits;
  Limits limits;
} Hello;

// A game begins, or begins again for a process that takes over from one that ended.
typedef struct {
  // Stands for this game in all messages to this process.
  int64_t game;
  // The rules played, such as `sticheln+mild`.
  const char *variant;
  // How many sit at the table.
  int seats;
  // Where the bot sits; seats are numbered clockwise from 0.
  int seat;
  // How many rounds are played; NONE: until somebody has finished.
  int rounds;
  // All cards there are in this game.
  Strings cards;
  // For the bot's own chance, if it wants its games repeatable; tells nothing about the deal.
  int64_t seed;
  // Who sits where; empty where the opponents are anonymous.
  Strings bots;
} Start;

// The CPU time there is for one decision, in seconds.
typedef struct {
  // For this decision alone.
  double move;
  // What is left for this game beyond `move`.
  double bank;
} Clock;

// A game is over.
typedef struct {
  // The game it is about.
  int64_t game;
  // The score of each seat.
  Ints scores;
  // The rank of each seat, 1 is best; who is at fault ranks below all others.
  Ints ranks;
} Result;

// The bot broke the protocol; the referee has chosen for it where a choice was due.
typedef struct {
  // The game it counts in; NONE: none that is going on.
  int64_t game;
  // The question that is settled by it; NONE: none was open.
  int64_t id;
  // What it is called: exited, illegal, malformed, memory, out-of-turn, start, timeout, too-long.
  const char *fault;
  // What was wrong, for a person to read.
  const char *text;
} Fault;

// A bot's first line: it can play.
typedef struct {
  // What the bot calls itself; NULL: none.
  const char *name;
  // Which one of its kind it is; NULL: none.
  const char *version;
  // How many games it can hold at once; 0: it is not said, which means 1.
  int games;
  // The variants it plays, as names or patterns such as `sticheln*`; empty: all.
  Strings variants;
} Ready;

// A bot's answer.
typedef struct {
  // The question it answers.
  int64_t id;
  // One of its options.
  const char *choice;
  // Something to find in the replay beside this decision; 1,000 characters are kept; NULL: none.
  const char *note;
} Choose;

// A finished trick: the cards in the order of play, and the seat that won it, if any did.
typedef struct {
  // The seat that led it.
  int leader;
  // The cards in the order of play; the first is the leader's.
  Strings cards;
  // The seat that won it; NONE: nobody, it is set aside.
  int winner;
} Trick;

typedef struct {
  int count;
  Trick *items;
} Tricks;

// The round before this one: all that lay face up at its end.
typedef struct {
  // Its tricks, the first one first.
  Tricks tricks;
  // What each seat scored in it.
  Ints points;
  // The designating cards of each seat; empty if there were none.
  StringLists designated;
  // The special colours of each seat.
  StringLists special;
} DesignatingPast;

// What a seat knows in Sticheln, Stick 'Em and all their variants.
typedef struct {
  // Whose view it is: the bot's own seat.
  int seat;
  // The phase of the round, which is the `kind` of the question.
  const char *phase;
  // The round, counted from 0.
  int round;
  // The points of each seat in the finished rounds.
  Ints scores;
  // The cards in the seat's own hand, such as R7: a colour's letter and a number.
  Strings hand;
  // The seat that leads the trick on the table.
  int leader;
  // The cards of the trick on the table in the order of play; the first is the leader's.
  Strings trick;
  // The finished tricks of this round, the first one first.
  Tricks tricks;
  // The cards of this round that could not be dealt evenly.
  Strings left_over;
  // The designating cards of each seat, NONE where they lie face down; empty while there are none.
  StringLists designated;
  // The round before, until the first trick of this one is complete.
  bool has_previous;
  DesignatingPast previous;
} DesignatingView;

// A finished trick or pair of tricks: the cards in the order of play, and who took each.
typedef struct {
  // The seat that led it.
  int leader;
  // The cards in the order of play; the first is the leader's.
  Strings cards;
  // The seat that took each card; NONE for one that was passed and stays with its owner.
  Ints takers;
} DoubleTrick;

typedef struct {
  int count;
  DoubleTrick *items;
} DoubleTricks;

// The round before this one: all that lay face up at its end.
typedef struct {
  // Its tricks, the first one first.
  DoubleTricks tricks;
  // What each seat scored in it.
  Ints points;
  // Empty: in Hat Trick nothing is designated.
  StringLists designated;
  // Empty: in Hat Trick no colour is special.
  StringLists special;
} HatTrickPast;

// What a seat knows in Hat Trick.
typedef struct {
  // Whose view it is: the bot's own seat.
  int seat;
  // The phase of the round, which is the `kind` of the question.
  const char *phase;
  // The round, counted from 0.
  int round;
  // The points of each seat in the finished rounds.
  Ints scores;
  // The cards in the seat's own hand.
  Strings hand;
  // The seat that leads the trick on the table.
  int leader;
  // The cards of the trick on the table in the order of play; the first is the leader's.
  Strings trick;
  // The finished tricks of this round, the first one first.
  DoubleTricks tricks;
  // Empty: in Hat Trick all cards are dealt.
  Strings left_over;
  // Empty: in Hat Trick nothing is designated.
  StringLists designated;
  // The round before, until the first trick of this one is complete.
  bool has_previous;
  HatTrickPast previous;
} HatTrickView;

// A column in the order of picking, and who the dealer says would have won it as a trick.
typedef struct {
  // The seat that picked first.
  int leader;
  // Its cards in the order of picking; with three seats the last is the ghost's.
  Strings cards;
  // The seat that would have won it as a trick; with three seats 3 is the ghost.
  int hint;
} Column;

typedef struct {
  int count;
  Column *items;
} Columns;

// The trump colour and the trump number of a round.
typedef struct {
  // The trump colour; NULL: there is none.
  const char *colour;
  // The trump number; NONE: there is none.
  int number;
} Trumps;

// The round before this one: all that lay face up at its end.
typedef struct {
  // Its trumps.
  Trumps trumps;
  // The task each seat had chosen, NULL for its dealer.
  Strings tasks;
  // Its tricks, the first one first.
  Tricks tricks;
  // The token each seat discarded in it, NULL for none.
  Strings discards;
} DraftPast;

// What a seat knows in Was sticht: everything but the trumps during the draft.
typedef struct {
  // Whose view it is: the bot's own seat.
  int seat;
  // The phase of the round, which is the `kind` of the question.
  const char *phase;
  // The round, counted from 0.
  int round;
  // How many tokens each seat has discarded.
  Ints scores;
  // The seat that deals, and knows the trumps from the start.
  int dealer;
  // The tokens each seat holds.
  StringLists tokens;
  // The tokens each seat has discarded, the first one first.
  StringLists discarded;
  // The tokens on the table while they are taken, later none.
  Strings supply;
  // The layout of this round, column by column, as it was before any pick.
  StringLists columns;
  // The columns that are completely picked, the first one first.
  Columns picks;
  // The trumps of this round; none while this seat does not know them.
  bool has_trumps;
  Trumps trumps;
  // The task each seat has chosen, NULL for the dealer; empty until all have chosen.
  Strings tasks;
  // The cards in the seat's own hand.
  Strings hand;
  // The cards in the hand of each seat, which are public.
  StringLists hands;
  // The seat that leads the trick, or picks first from the column.
  int leader;
  // The cards of the trick in the order of play, or of the column as picked.
  Strings trick;
  // The finished tricks of this round, the first one first.
  Tricks tricks;
  // The round before, until the first column of this one is picked.
  bool has_previous;
  DraftPast previous;
} DraftView;

// Which of the views a question holds; NO_VIEW: one that is not known here.
typedef enum { NO_VIEW, DESIGNATING, HAT_TRICK, DRAFT } View;

// A question, with everything the seat may know.
typedef struct {
  // The game it is about.
  int64_t game;
  // To be echoed in the answer.
  int64_t id;
  // The rules played, as in `start`.
  const char *variant;
  // What is to be decided: `designate`, `play`, `delayed`, `token`, `pick`, `task`, `discard`.
  const char *kind;
  // The legal choices.
  Strings options;
  // What the seat may know: one of three views, by the variant.
  View view;
  union {
    DesignatingView designating;
    HatTrickView hat_trick;
    DraftView draft;
  };
  // The time there is; has_clock is false where no clock runs.
  bool has_clock;
  Clock clock;
} Decide;

// What the referee says; an UNKNOWN message wants no answer.
typedef struct {
  enum { UNKNOWN, HELLO, START, DECIDE, RESULT, FAULT } type;
  union {
    Hello hello;
    Start start;
    Decide decide;
    Result result;
    Fault fault;
  };
} Message;

// The message in a line, to be freed with all that it points to; NULL if the line holds no object.
Message *message_read(const char *line, size_t length);
void message_free(Message *message);

// What a bot says, as lines without newline, to be freed.
char *ready_line(const Ready *ready);
char *choose_line(const Choose *choose);

#endif
