// Every message of protocol 1, as a type.
//
// A field that is absent has its default, and a field that is not listed here is ignored, so that
// the bot goes on playing when the protocol grows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

using Strings = std::vector<std::string>;

// The time a bot has, in seconds; all but `wall` is CPU time of everything it has started.
struct Limits {
  // From the launch to `ready`.
  double start = 0;
  // For each decision.
  double move = 0;
  // For each game: it pays for what goes over `move`.
  double bank = 0;
  // However little CPU time it takes, no answer takes longer in real time.
  double wall = 0;
};

// The referee's first line to a process that has just started.
struct Hello {
  // The version of the protocol spoken; this is 1.
  int protocol = 0;
  // The longest line a bot may send, in bytes, its newline included.
  int line = 0;
  // The most games a bot will be asked about at once, whatever it offers.
  int games = 0;
  // The time a bot has; none: no clock runs.
  std::optional<Limits> limits;
};

// A game begins, or begins again for a process that takes over from one that ended.
struct Start {
  // Stands for this game in all messages to this process.
  std::int64_t game = 0;
  // The rules played, such as `sticheln+mild`.
  std::string variant;
  // How many sit at the table.
  int seats = 0;
  // Where the bot sits; seats are numbered clockwise from 0.
  int seat = 0;
  // How many rounds are played; none: until somebody has finished.
  std::optional<int> rounds;
  // All cards there are in this game.
  Strings cards;
  // For the bot's own chance, if it wants its games repeatable; tells nothing about the deal.
  std::int64_t seed = 0;
  // Who sits where; none where the opponents are anonymous.
  std::optional<Strings> bots;
};

// The CPU time there is for one decision, in seconds.
struct Clock {
  // For this decision alone.
  double move = 0;
  // What is left for this game beyond `move`.
  double bank = 0;
};

// A game is over.
struct Result {
  // The game it is about.
  std::int64_t game = 0;
  // The score of each seat.
  std::vector<int> scores;
  // The rank of each seat, 1 is best; who is at fault ranks below all others.
  std::vector<int> ranks;
};

// The bot broke the protocol; the referee has chosen for it where a choice was due.
struct Fault {
  // The game it counts in; none: none that is going on.
  std::optional<std::int64_t> game;
  // The question that is settled by it; none: none was open.
  std::optional<std::int64_t> id;
  // What it is called: exited, illegal, malformed, memory, out-of-turn, start, timeout, too-long.
  std::string fault;
  // What was wrong, for a person to read.
  std::string text;
};

// A bot's first line: it can play.
struct Ready {
  // What the bot calls itself.
  std::optional<std::string> name;
  // Which one of its kind it is.
  std::optional<std::string> version;
  // How many games it can hold at once.
  int games = 1;
  // The variants it plays, as names or patterns such as `sticheln*`; none: all.
  std::optional<Strings> variants;
};

// A bot's answer.
struct Choose {
  // The question it answers.
  std::int64_t id = 0;
  // One of its options.
  std::string choice;
  // Something to find in the replay beside this decision; 1,000 characters are kept.
  std::optional<std::string> note;
};

// A finished trick: the cards in the order of play, and the seat that won it, if any did.
struct Trick {
  // The seat that led it.
  int leader = 0;
  // The cards in the order of play; the first is the leader's.
  Strings cards;
  // The seat that won it; none: nobody, it is set aside.
  std::optional<int> winner;
};

// The round before this one: all that lay face up at its end.
struct DesignatingPast {
  // Its tricks, the first one first.
  std::vector<Trick> tricks;
  // What each seat scored in it.
  std::vector<int> points;
  // The designating cards of each seat; empty if there were none.
  std::vector<Strings> designated;
  // The special colours of each seat.
  std::vector<Strings> special;
};

// What a seat knows in Sticheln, Stick 'Em and all their variants.
struct DesignatingView {
  // Whose view it is: the bot's own seat.
  int seat = 0;
  // The phase of the round, which is the `kind` of the question.
  std::string phase;
  // The round, counted from 0.
  int round = 0;
  // The points of each seat in the finished rounds.
  std::vector<int> scores;
  // The cards in the seat's own hand, such as R7: a colour's letter and a number.
  Strings hand;
  // The seat that leads the trick on the table.
  int leader = 0;
  // The cards of the trick on the table in the order of play; the first is the leader's.
  Strings trick;
  // The finished tricks of this round, the first one first.
  std::vector<Trick> tricks;
  // The cards of this round that could not be dealt evenly.
  Strings left_over;
  // The designating cards of each seat, none where they lie face down; empty while there are none.
  std::vector<std::optional<Strings>> designated;
  // The round before, until the first trick of this one is complete.
  std::optional<DesignatingPast> previous;
};

// A finished trick or pair of tricks: the cards in the order of play, and who took each.
struct DoubleTrick {
  // The seat that led it.
  int leader = 0;
  // The cards in the order of play; the first is the leader's.
  Strings cards;
  // The seat that took each card; none for one that was passed and stays with its owner.
  std::vector<std::optional<int>> takers;
};

// The round before this one: all that lay face up at its end.
struct HatTrickPast {
  // Its tricks, the first one first.
  std::vector<DoubleTrick> tricks;
  // What each seat scored in it.
  std::vector<int> points;
  // Empty: in Hat Trick nothing is designated.
  std::vector<Strings> designated;
  // Empty: in Hat Trick no colour is special.
  std::vector<Strings> special;
};

// What a seat knows in Hat Trick.
struct HatTrickView {
  // Whose view it is: the bot's own seat.
  int seat = 0;
  // The phase of the round, which is the `kind` of the question.
  std::string phase;
  // The round, counted from 0.
  int round = 0;
  // The points of each seat in the finished rounds.
  std::vector<int> scores;
  // The cards in the seat's own hand.
  Strings hand;
  // The seat that leads the trick on the table.
  int leader = 0;
  // The cards of the trick on the table in the order of play; the first is the leader's.
  Strings trick;
  // The finished tricks of this round, the first one first.
  std::vector<DoubleTrick> tricks;
  // Empty: in Hat Trick all cards are dealt.
  Strings left_over;
  // Empty: in Hat Trick nothing is designated.
  std::vector<std::optional<Strings>> designated;
  // The round before, until the first trick of this one is complete.
  std::optional<HatTrickPast> previous;
};

// A column in the order of picking, and who the dealer says would have won it as a trick.
struct Column {
  // The seat that picked first.
  int leader = 0;
  // Its cards in the order of picking; with three seats the last is the ghost's.
  Strings cards;
  // The seat that would have won it as a trick; with three seats 3 is the ghost.
  int hint = 0;
};

// The trump colour and the trump number of a round.
struct Trumps {
  // The trump colour; none: there is none.
  std::optional<std::string> colour;
  // The trump number; none: there is none.
  std::optional<int> number;
};

// The round before this one: all that lay face up at its end.
struct DraftPast {
  // Its trumps.
  Trumps trumps;
  // The task each seat had chosen, none for its dealer.
  std::vector<std::optional<std::string>> tasks;
  // Its tricks, the first one first.
  std::vector<Trick> tricks;
  // The token each seat discarded in it, none for none.
  std::vector<std::optional<std::string>> discards;
};

// What a seat knows in Was sticht: everything but the trumps during the draft.
struct DraftView {
  // Whose view it is: the bot's own seat.
  int seat = 0;
  // The phase of the round, which is the `kind` of the question.
  std::string phase;
  // The round, counted from 0.
  int round = 0;
  // How many tokens each seat has discarded.
  std::vector<int> scores;
  // The seat that deals, and knows the trumps from the start.
  int dealer = 0;
  // The tokens each seat holds.
  std::vector<Strings> tokens;
  // The tokens each seat has discarded, the first one first.
  std::vector<Strings> discarded;
  // The tokens on the table while they are taken, later none.
  Strings supply;
  // The layout of this round, column by column, as it was before any pick.
  std::vector<Strings> columns;
  // The columns that are completely picked, the first one first.
  std::vector<Column> picks;
  // The trumps of this round; none while this seat does not know them.
  std::optional<Trumps> trumps;
  // The task each seat has chosen, none for the dealer; empty until all have chosen.
  std::vector<std::optional<std::string>> tasks;
  // The cards in the seat's own hand.
  Strings hand;
  // The cards in the hand of each seat, which are public.
  std::vector<Strings> hands;
  // The seat that leads the trick, or picks first from the column.
  int leader = 0;
  // The cards of the trick in the order of play, or of the column as picked.
  Strings trick;
  // The finished tricks of this round, the first one first.
  std::vector<Trick> tricks;
  // The round before, until the first column of this one is picked.
  std::optional<DraftPast> previous;
};

// What the seat may know, by the variant; std::monostate: a view that is not known here.
using View = std::variant<std::monostate, DesignatingView, HatTrickView, DraftView>;

// A question, with everything the seat may know.
struct Decide {
  // The game it is about.
  std::int64_t game = 0;
  // To be echoed in the answer.
  std::int64_t id = 0;
  // The rules played, as in `start`.
  std::string variant;
  // What is to be decided: `designate`, `play`, `delayed`, `token`, `pick`, `task`, `discard`.
  std::string kind;
  // The legal choices.
  Strings options;
  // What the seat may know: one of three views, by the variant.
  View view;
  // The time there is; none: no clock runs.
  std::optional<Clock> clock;
};

// What the referee says; std::monostate: a message that is not known here and wants no answer.
using ToBot = std::variant<std::monostate, Hello, Start, Decide, Result, Fault>;

// The message in a line; throws a std::exception if there is none.
ToBot read(const std::string& line);

// Messages as lines, without their newlines.
std::string line(const Ready& ready);
std::string line(const Choose& choose);
