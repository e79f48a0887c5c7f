// The rules of Was sticht as the search needs them: cards, trumps, tricks, tasks.
#pragma once

#include <cstdint>

namespace draft {

constexpr int kSeats = 4;
constexpr int kTasks = 12;
constexpr int kCards = 36;
constexpr int kTricks = 9;
constexpr int kNoColour = 4;
constexpr int kTrumpSuit = 4;
constexpr int kTrumps = 50;

// A set of cards; the card of colour c (B, G, R, Y) and number n is bit 9c + n - 1.
using Cards = uint64_t;

inline Cards bit(int card) { return Cards{1} << card; }
inline int lowest(Cards cards) { return __builtin_ctzll(cards); }
inline int size(Cards cards) { return __builtin_popcountll(cards); }
inline int colour_of(int card) { return card / 9; }
inline int number_of(int card) { return card % 9 + 1; }

// In the order of `arena.games.tasks`.
enum Task {
  kExactly1,
  kExactly2,
  kExactly3,
  kExactly4,
  kFewest,
  kLast,
  kMost,
  kNoBlue,
  kNoGreen,
  kNoRed,
  kNoTrick,
  kNoYellow,
};

// The colour a task forbids, or none.
inline int forbidden(int task) {
  switch (task) {
  case kNoBlue:
    return 0;
  case kNoGreen:
    return 1;
  case kNoRed:
    return 2;
  case kNoYellow:
    return 3;
  default:
    return kNoColour;
  }
}

// The number of tricks a task asks for, or -1.
inline int wanted(int task) {
  if (task <= kExactly4)
    return task + 1;
  return task == kNoTrick ? 0 : -1;
}

// How the cards rank under the trumps of a round.
struct Ranking {
  int colour; // kNoColour: none
  int number; // 0: none
  uint8_t suit[kCards];
  int16_t strength[kCards]; // among cards of one suit
  Cards members[5];         // the cards of a suit
  Cards numbers;            // the cards of the trump number

  Ranking(int trump_colour, int trump_number);

  // Whether a card beats the best one so far, which is a trump or of the suit led.
  bool beats(int card, int best) const {
    if (suit[card] == suit[best])
      return strength[card] > strength[best];
    return suit[card] == kTrumpSuit;
  }
};

// The trumps numbered 0 to 49.
const Ranking &ranking(int trumps);
inline int trumps_index(int colour, int number) { return colour * 10 + number; }

// A round in play.
struct Table {
  Cards hand[kSeats] = {};
  int8_t won[kSeats] = {};
  uint8_t colours[kSeats] = {}; // printed colours among the cards won
  int8_t seats = kSeats;
  int8_t seat = 0; // whose turn it is
  int8_t last = -1;
  int8_t played = 0; // cards in the trick on the table
  int8_t led = -1;
  int8_t best = -1; // the card that wins so far, and who played it
  int8_t winner = -1;
  uint8_t shown = 0; // printed colours on the table
  Cards trick = 0;

  int left() const { return size(hand[seat]); } // tricks still open to the seat whose turn it is
  bool over() const { return ended(0); }
  // Whether only so many tricks are left to be led.
  bool ended(int tricks) const { return played == 0 && size(hand[seat]) <= tricks; }
  Cards legal(const Ranking &ranks) const {
    if (played == 0)
      return hand[seat];
    Cards follow = hand[seat] & ranks.members[ranks.suit[led]];
    return follow ? follow : hand[seat];
  }
  void play(const Ranking &ranks, int card);
};

// Whether a seat has fulfilled a task at the end of a round.
bool fulfils(const Table &table, int task, int seat);

// Who gets rid of a token, as a set of seats; tasks are -1 for the dealer.
unsigned discards(const Table &table, const int8_t *tasks, int dealer);

} // namespace draft
