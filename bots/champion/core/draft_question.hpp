// A question and its answer, as they pass between the shell and the core.
#pragma once

#include "draft_play.hpp"

namespace draft {

// A question as the shell writes it, number by number.
struct Question {
  int64_t kind, seats, seat, dealer;
  int64_t colour, number; // of the trumps; -1: not known
  int64_t scores[kSeats];
  int64_t tokens[kSeats]; // a bit for each kind held
  int64_t tasks[kSeats];  // -1: none
  int64_t hands[kSeats];
  int64_t won[kSeats];
  int64_t colours[kSeats];
  int64_t leader, played;
  int64_t trick[kSeats];
  int64_t columns; // not yet complete, with the one on the table
  int64_t column[kTricks];
  int64_t hints; // columns picked, in full
  int64_t hint[kTricks][6];
};

enum Kind { kPlay, kTask, kPick };

constexpr double kNothing = -100; // worse than anything

// How good the options are to the seat asked, and how much they were looked at.
struct Answer {
  double value[kCards];
  int64_t visits[kCards];
};

inline void report(const Node &node, Answer &answer) {
  for (int at = 0; at < node.count; ++at) {
    const Branch &branch = node.branches[at];
    answer.visits[branch.choice] = branch.visits;
    answer.value[branch.choice] = branch.visits ? branch.sum / branch.visits : kNothing;
  }
}

inline Table table_of(const Question &question, const Ranking &ranks) {
  Table table;
  table.seats = static_cast<int8_t>(question.seats);
  for (int seat = 0; seat < table.seats; ++seat) {
    table.hand[seat] = question.hands[seat];
    table.won[seat] = static_cast<int8_t>(question.won[seat]);
    table.colours[seat] = static_cast<uint8_t>(question.colours[seat]);
  }
  table.seat = static_cast<int8_t>(question.leader);
  for (int place = 0; place < question.played; ++place) {
    table.hand[table.seat] |= bit(static_cast<int>(question.trick[place]));
    table.play(ranks, static_cast<int>(question.trick[place]));
  }
  return table;
}

inline Goal goal_of(const Question &question, const Ranking &ranks) {
  Goal goal{};
  goal.ranks = &ranks;
  goal.seats = static_cast<int>(question.seats);
  goal.dealer = static_cast<int>(question.dealer);
  for (int seat = 0; seat < kSeats; ++seat)
    goal.tasks[seat] = static_cast<int8_t>(question.tasks[seat]);
  return goal;
}

inline void scores_of(const Question &question, int *scores) {
  for (int seat = 0; seat < kSeats; ++seat)
    scores[seat] = static_cast<int>(question.scores[seat]);
}

} // namespace draft
