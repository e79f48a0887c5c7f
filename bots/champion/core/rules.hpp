// The rules of Sticheln, Stick 'Em and Hat Trick: a table, a card laid, the points of a round.
#pragma once

#include <cstdint>

namespace tricks {

constexpr int kSeats = 8;
constexpr int kColours = 6;

// A card is its colour times 32 and its number.
using Card = uint8_t;
inline int colour_of(Card card) { return card >> 5; }
inline int number_of(Card card) { return card & 31; }
inline Card card_of(int colour, int number) { return static_cast<Card>(colour << 5 | number); }

// The numbers held of each colour, one bit for each.
struct Cards {
  uint32_t of[kColours] = {};

  void add(Card card) { of[colour_of(card)] |= 1U << number_of(card); }
  void drop(Card card) { of[colour_of(card)] &= ~(1U << number_of(card)); }
  int count() const {
    int sum = 0;
    for (uint32_t numbers : of)
      sum += __builtin_popcount(numbers);
    return sum;
  }
};

struct Rules {
  int hat, stick, reverse, mild, aggravated, hazy, delayed;
  int seats, colours, low, top, size;

  int worth(Card card) const { return mild ? 5 : number_of(card); }
  // What a card brings its owner, who has these special colours (one bit for each).
  int value(Card card, int special) const {
    int misery = special >> colour_of(card) & 1 ? -worth(card) : 1;
    return reverse ? -misery : misery;
  }
  // Cards that stay in hand at the end of a round.
  int kept() const { return hat; }
  // Cards laid down by each seat before the first trick.
  int laid_down() const { return hat || delayed ? 0 : 1 + aggravated; }
};

// A round as somebody who sees all hands would see it.
struct Table {
  Cards hand[kSeats];
  Cards out;                            // not played yet: in the hands, or laid down
  int16_t points[kSeats] = {};          // where special colours are designated: so far
  int16_t worth[kSeats][kColours] = {}; // what each seat has won of each colour
  int8_t won[kSeats][kColours] = {};
  int8_t passes[kSeats] = {};
  uint8_t special[kSeats] = {};
  Card trick[kSeats] = {};
  int8_t leader = 0, laid = 0, left = 0; // `left`: cards in the hand of the seat to play
  int8_t winner = 0;                     // place in the trick of the strongest card so far
  int16_t strongest = -1;

  int turn(const Rules &rules) const {
    int seat = leader + laid;
    return seat < rules.seats ? seat : seat - rules.seats;
  }
  bool over(const Rules &rules) const { return laid == 0 && left == rules.kept(); }
};

// How strong a card is in a trick: the strongest wins, of equal ones the first.
inline int strength(const Rules &rules, int led, Card card) {
  int number = number_of(card);
  if (number == 0)
    return 0;
  if (colour_of(card) == led)
    return number;
  return 100 + (rules.reverse ? -number : number);
}

// The seat whose turn it is lays a card; a complete trick is taken.
void lay(const Rules &rules, Table &table, Card card);

// A card that a seat has laid down belongs to what it has won.
void own(const Rules &rules, Table &table, int seat, Card card);

// What a seat scores if the round ends now.
int score(const Rules &rules, const Table &table, int seat);

// The special colours with which a seat scores most, where they are named at the end.
int best_named(const Rules &rules, const Table &table, int seat, int &colours);

} // namespace tricks
