// How a seat plays at a glance: quick, decent, and the same for everybody in a playout.
#pragma once

#include "chance.hpp"
#include "rules.hpp"

namespace tricks {

// The cards that the seat whose turn it is may play, and what each seems to bring, in points.
struct Look {
  int count = 0;
  Card card[32];
  float points[32];

  void add(Card which, float brings) {
    card[count] = which;
    points[count++] = brings;
  }
  // The best, if nobody's judgement is exact.
  Card jittered(float jitter, Chance &chance) const;
};

// Tables of what a glance goes by, for a table of one size.
class Policy {
public:
  explicit Policy(const Rules &rules);

  // What each seat is after in the next trick: with Delayed the colours it is going to name, in
  // Hat Trick the colour it collects. Both are kept as its special colours.
  void aim(Table &table) const;

  // Every card of whose turn it is; a seat knows what all are after.
  Look look(const Table &table) const;

  // How good it is to lay down a card of this hand, in points.
  float down(const Cards &hand, Card card) const;

private:
  Look sticheln(const Table &table) const;
  Look hat_trick(const Table &table) const;

  const Rules &rules_;
  float each_;                 // what a point of another seat counts
  float keep_[2][192];         // what a card is good for later: not special, special
  float early_[2][192];        // and how much more, the more cards are left
  float danger_[2][192];       // what it costs to lead it
  float holds_[kSeats][2][32]; // how likely a number stays the best with so many to come: off
                               // the colour led, of it
};

} // namespace tricks
