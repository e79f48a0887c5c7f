// How a seat plays at a glance: quick, decent, and the same for everybody in a playout.
#pragma once

#include "chance.hpp"
#include "rules.hpp"

namespace tricks {

// What the glance goes by, found by letting seats with different ones play against each other.
struct Weights {
  // Worth of keeping a card: its power in a trick, being a 0, being of an own special colour (by
  // its worth, and at all), being a nuisance to others; how little of it is left in the end.
  float power, zero, burden, special, nuisance, late;
  // What others gain counts against oneself.
  float others;
  // Chance that a seat takes a trick if it can: at least, at most, and how it grows with the gain.
  float shy, keen, slope;
  // What a card yet to come brings who takes the trick: always, and by the cards still out.
  float coming, average;
  // What leading the next trick is worth.
  float lead;
  // Choosing a card to lay down: what its number, the number and the worth of cards of its colour
  // in hand, and its power count for.
  float down_worth, down_count, down_sum, down_power;
};

struct HatWeights {
  float keep_own, keep_other, hand, others, shy, keen, slope, coming, lead, pass, keep_low;
};

const Weights &weights_for(const Rules &rules);
const HatWeights &hat_weights();

// The cards that the seat whose turn it is may play, and what each seems to bring, in points.
struct Look {
  int count = 0;
  Card card[32];
  float points[32];

  void add(Card which, float brings) {
    card[count] = which;
    points[count++] = brings;
  }
  Card best() const;
  // The best, if nobody's judgement is exact.
  Card jittered(float jitter, Chance &chance) const;
};

Look glance(const Rules &rules, const Table &table, const Weights &weights, const HatWeights &hat);

// How good it is to lay down a card of this hand, in points.
float down_score(const Rules &rules, const Weights &weights, const Cards &hand, Card card);

} // namespace tricks
