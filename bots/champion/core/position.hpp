// What a seat knows when it is asked, and deals that agree with it.
#pragma once

#include "policy.hpp"

#include <vector>

namespace tricks {

enum class Kind { designate, play, delayed };

// A choice: one card or colour, or two; -1 stands for no second one.
struct Option {
  int first, second;
};

struct Position {
  Rules rules;
  Kind kind;
  int me;
  Table known;              // with no hand but my own
  std::vector<Card> unseen; // in the hands of others, or laid down by them face down
  int needs[kSeats] = {};   // how many of these each seat has
  bool masked[kSeats] = {}; // whether its special colours are unknown
  std::vector<Option> options;

  // Reads what `tricks.py` writes.
  explicit Position(const int *words);

  // A deal that could be: all hands, and the special colours of the others.
  Table deal(const Policy &policy, Chance &chance) const;
};

// The points that a seat has with its special colours, once these are known.
void recount(const Rules &rules, Table &table, int seat);

// The seat lays this card down.
void designate(const Rules &rules, Table &table, int seat, Card card);

} // namespace tricks
