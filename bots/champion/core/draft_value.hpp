// What the ends of a round are worth, and what a decision has to be made with: chance and work.
#pragma once

#include "draft.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

namespace draft {

using Values = std::array<float, kSeats>;

class Chance {
public:
  explicit Chance(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 32);
  }
  int below(int count) { return static_cast<int>((uint64_t{next()} * count) >> 32); }
  int of(Cards cards) {
    for (int skip = below(size(cards)); skip > 0; --skip)
      cards &= cards - 1;
    return lowest(cards);
  }

private:
  uint64_t state_;
};

// What a decision may cost: a number of cards played, and as a safety net CPU time.
class Work {
public:
  Work(int64_t cards, double seconds) : left_(cards), until_(now() + seconds), check_(kCheck) {}
  bool spent(int cards) {
    left_ -= cards;
    check_ -= cards;
    if (check_ <= 0) {
      check_ = kCheck;
      if (now() > until_)
        left_ = 0;
    }
    return left_ <= 0;
  }
  int64_t left() const { return left_; }
  void limit(int64_t cards) { left_ = std::min(left_, cards); }
  // Half of what is left, to be spent apart.
  Work half() {
    Work other = *this;
    other.left_ = left_ / 2;
    left_ -= other.left_;
    return other;
  }

private:
  static constexpr int kCheck = 2000;
  static double now() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
  }
  int64_t left_;
  double until_;
  int check_;
};

// What a game is worth from the tokens discarded so far and the next dealer on: own points minus
// the mean of the others' at the end, if everybody goes on to succeed as often as usual.
class Prospects {
public:
  explicit Prospects(int seats) : seats_(seats), values_(kDealers * kStates, Values{}) {
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (int state = kStates - 1; state >= 0; --state)
        for (int dealer = 0; dealer < seats; ++dealer)
          settle(state, dealer);
  }

  const Values &at(const int *scores, int dealer) const {
    int state = 0;
    for (int seat = seats_ - 1; seat >= 0; --seat)
      state = state * 6 + std::min(scores[seat], 5);
    return values_[state * kDealers + dealer];
  }

private:
  static constexpr int kDealers = kSeats;
  static constexpr int kStates = 6 * 6 * 6 * 6;
  static constexpr int kSweeps = 12;

  void settle(int state, int dealer) {
    int scores[kSeats] = {state % 6, state / 6 % 6, state / 36 % 6, state / 216};
    Values &value = values_[state * kDealers + dealer];
    float sum = 0;
    bool over = false;
    for (int seat = 0; seat < seats_; ++seat) {
      sum += scores[seat];
      over = over || scores[seat] == 5;
    }
    if (over) {
      for (int seat = 0; seat < seats_; ++seat)
        value[seat] = scores[seat] - (sum - scores[seat]) / (seats_ - 1);
      return;
    }
    Values mean{};
    for (unsigned gone = 0; gone < 1u << seats_; ++gone) {
      float chance = 1;
      int after[kSeats];
      for (int seat = 0; seat < seats_; ++seat) {
        bool gains = gone >> seat & 1;
        float rate = seat == dealer ? kDealerRate : kRate[std::min(5 - scores[seat], 5)];
        chance *= gains ? rate : 1 - rate;
        after[seat] = scores[seat] + gains;
      }
      const Values &next = at(after, (dealer + 1) % seats_);
      for (int seat = 0; seat < seats_; ++seat)
        mean[seat] += chance * next[seat];
    }
    value = mean;
  }

  // How often a seat with so many tokens fulfils its task, and how often a dealer succeeds.
  static constexpr float kRate[6] = {0, 0.28f, 0.35f, 0.4f, 0.43f, 0.45f};
  static constexpr float kDealerRate = 0.25f;

  int seats_;
  std::vector<Values> values_;
};

inline const Prospects &prospects(int seats) {
  static const Prospects three(3), four(4);
  return seats == 3 ? three : four;
}

// What getting rid of a token is worth beyond the point: hard ones more than easy ones.
// With three and with four seats.
constexpr float kRelief[2][kTasks] = {
    {0.10f, 0.08f, 0.07f, 0.06f, 0.05f, -0.09f, -0.06f, 0, 0, 0, 0.12f, 0},
    {0.07f, 0.07f, 0.06f, 0.06f, 0.12f, -0.08f, -0.05f, -0.02f, -0.02f, -0.02f, 0.08f, -0.02f},
};

// A round with its tasks: what its ends are worth to everybody.
struct Goal {
  const Ranking *ranks;
  int seats;
  int dealer;
  int8_t tasks[kSeats];
  Values worth[1 << kSeats]; // by who discards a token

  void set(const int *scores) {
    const float *relief = kRelief[seats - 3];
    for (unsigned gone = 0; gone < 1u << seats; ++gone) {
      int after[kSeats] = {};
      for (int seat = 0; seat < seats; ++seat)
        after[seat] = scores[seat] + (gone >> seat & 1);
      worth[gone] = prospects(seats).at(after, (dealer + 1) % seats);
      for (int seat = 0; seat < seats; ++seat) {
        if (!(gone >> seat & 1) || tasks[seat] < 0 || after[seat] == 5)
          continue;
        for (int other = 0; other < seats; ++other)
          worth[gone][other] +=
              other == seat ? relief[tasks[seat]] : -relief[tasks[seat]] / (seats - 1);
      }
    }
  }

  const Values &value(const Table &table) const { return worth[discards(table, tasks, dealer)]; }
};

} // namespace draft
