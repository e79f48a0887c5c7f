#include "policy.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace tricks {

namespace {

// e^-x for x from 0 to 8, in 512 steps.
struct Fade {
  float of[513];
  Fade() {
    for (int i = 0; i <= 512; ++i)
      of[i] = std::exp(-static_cast<float>(i) / 64.0F);
  }
  float operator()(float x) const {
    int i = static_cast<int>(x * 64.0F);
    return of[std::min(i, 512)];
  }
};
const Fade fade;

float clamped(float low, float x, float high) { return std::min(std::max(x, low), high); }

// What a seat's cards are to it where special colours are named at the end.
struct Named {
  const Rules &rules;
  int worth[kColours], count[kColours], total = 0, before = 0;

  Named(const Rules &rules, const Table &table, int seat) : rules(rules) {
    for (int colour = 0; colour < rules.colours; ++colour) {
      worth[colour] = table.worth[seat][colour];
      count[colour] = table.won[seat][colour];
      total += count[colour];
    }
    before = value();
    for (int place = 0; place < table.laid; ++place)
      add(table.trick[place], 1);
  }
  void add(Card card, int times) {
    worth[colour_of(card)] += times * rules.worth(card);
    count[colour_of(card)] += times;
    total += times;
  }
  int value() const {
    int first = -1, second = -1;
    for (int colour = 0; colour < rules.colours; ++colour) {
      if (count[colour] == 0)
        continue;
      int change = worth[colour] + count[colour];
      bool better = first < 0 || (rules.reverse ? change > first : change < first);
      if (better) {
        second = first;
        first = change;
      } else if (second < 0 || (rules.reverse ? change > second : change < second)) {
        second = change;
      }
    }
    int sum = total - std::max(first, 0) - (rules.aggravated ? std::max(second, 0) : 0);
    return rules.reverse ? -sum : sum;
  }
  int gain(Card card) {
    add(card, 1);
    int after = value();
    add(card, -1);
    return after - before;
  }
};

// How many of these cards are stronger than what lies.
int stronger(const Rules &rules, const Cards &cards, int led, int strongest) {
  int sum = 0;
  uint32_t trumps; // the numbers that beat it as trumps
  uint32_t follow = 0;
  if (strongest >= 60) {
    int number = rules.reverse ? 100 - strongest : strongest - 100;
    trumps = rules.reverse ? (1U << number) - 2 : ~((2U << number) - 1);
  } else {
    trumps = ~1U;
    follow = ~((2U << strongest) - 1);
  }
  for (int colour = 0; colour < rules.colours; ++colour)
    sum += __builtin_popcount(cards.of[colour] & (colour == led ? follow : trumps));
  return sum;
}

float power_of(const Rules &rules, int number) {
  if (number == 0)
    return 0;
  int rank = rules.reverse ? rules.top + 1 - number : number;
  return static_cast<float>(rank) / static_cast<float>(rules.top);
}

// The glance in Sticheln and Stick 'Em, for one seat and one moment.
struct Glance {
  const Rules &rules;
  const Table &table;
  const Weights &w;
  int me, coming;         // `coming`: seats that play after me
  int after[kSeats];      // these seats
  float each;             // what a point of another seat counts for me
  float stage;            // how much of a card's worth for later is left
  float on_table[kSeats]; // what the cards that lie there bring each seat
  float average[kSeats];  // what a card yet to come brings each seat
  Cards hidden;           // cards out, but not in my hand
  float held;             // cards a seat after me holds, as a share of those hidden
  int holder;             // who takes the trick as it lies

  Glance(const Rules &rules, const Table &table, const Weights &weights)
      : rules(rules), table(table), w(weights), me(table.turn(rules)),
        coming(rules.seats - 1 - table.laid) {
    each = w.others / static_cast<float>(rules.seats - 1);
    stage = w.late +
            (1 - w.late) * static_cast<float>(table.left - 1) / static_cast<float>(rules.size - 1);
    holder = table.leader + table.winner;
    holder -= holder >= rules.seats ? rules.seats : 0;
    int total = 0;
    for (int colour = 0; colour < rules.colours; ++colour) {
      hidden.of[colour] = table.out.of[colour] & ~table.hand[me].of[colour];
      total += __builtin_popcount(hidden.of[colour]);
    }
    held = static_cast<float>(table.left) / static_cast<float>(std::max(total, 1));
    for (int i = 0; i < coming; ++i) {
      int seat = me + 1 + i;
      after[i] = seat < rules.seats ? seat : seat - rules.seats;
    }
  }

  // What a card is to another seat, as far as I know.
  float value(Card card, int seat) const {
    if (rules.delayed || (rules.hazy && seat != me)) {
      float share = static_cast<float>(1 + rules.aggravated) / static_cast<float>(rules.colours);
      float misery = 1 - share * static_cast<float>(1 + rules.worth(card));
      return rules.reverse ? -misery : misery;
    }
    return static_cast<float>(rules.value(card, table.special[seat]));
  }

  float worth_keeping(Card card) const {
    int number = number_of(card);
    float keep = number ? w.power * power_of(rules, number) : w.zero;
    if (!rules.delayed && table.special[me] >> colour_of(card) & 1)
      keep += w.burden * static_cast<float>(rules.worth(card)) + w.special;
    if (!rules.delayed && !rules.hazy) {
      int hated = 0;
      for (int seat = 0; seat < rules.seats; ++seat)
        hated += seat != me && table.special[seat] >> colour_of(card) & 1;
      keep += w.nuisance * each * static_cast<float>(hated * rules.worth(card));
    }
    return keep * stage;
  }

  // The points it brings me, by a glance, to play a card; `gain` says what the trick with it
  // brings a seat.
  template <typename Gain> float of(Card card, Gain gain) const {
    int led = colour_of(table.laid ? table.trick[0] : card);
    int strong = strength(rules, led, card), best = table.strongest, taker = holder;
    if (strong > best) {
      best = strong;
      taker = me;
    }
    float can = 0;
    if (coming)
      can = 1 - fade(held * static_cast<float>(stronger(rules, hidden, led, best)));
    float stays = 1, sum = 0, more = static_cast<float>(coming);
    for (int i = coming - 1; i >= 0; --i) {
      int seat = after[i];
      float brings = gain(seat, card);
      float takes = can * clamped(0, w.shy + w.slope * brings, w.keen);
      sum -= stays * takes * each * (brings + (more - 1) * average[seat]);
      stays *= 1 - takes;
    }
    float brings = gain(taker, card) + more * average[taker];
    sum += stays * (taker == me ? brings + w.lead : -each * brings);
    return sum - worth_keeping(card);
  }

  // Every card of the hand.
  template <typename Gain> Look all(Gain gain) const {
    Look look;
    for (int colour = 0; colour < rules.colours; ++colour)
      for (uint32_t rest = table.hand[me].of[colour]; rest; rest &= rest - 1) {
        Card card = card_of(colour, __builtin_ctz(rest));
        look.add(card, of(card, gain));
      }
    return look;
  }

  Look additive() {
    int out = 0;
    for (int colour = 0; colour < rules.colours; ++colour)
      out += __builtin_popcount(table.out.of[colour]);
    auto prepare = [&](int seat) {
      on_table[seat] = 0;
      for (int place = 0; place < table.laid; ++place)
        on_table[seat] += value(table.trick[place], seat);
      float sum = 0;
      for (int colour = 0; colour < rules.colours; ++colour) {
        uint32_t numbers = table.out.of[colour];
        int count = __builtin_popcount(numbers);
        if (table.special[seat] >> colour & 1 && !(rules.hazy && seat != me)) {
          int worth = 5 * count;
          if (!rules.mild)
            for (worth = 0; numbers; numbers &= numbers - 1)
              worth += __builtin_ctz(numbers);
          sum -= static_cast<float>(worth);
        } else {
          sum += static_cast<float>(count);
        }
      }
      sum = rules.reverse ? -sum : sum;
      average[seat] = w.coming + w.average * sum / static_cast<float>(std::max(out, 1));
    };
    prepare(me);
    for (int i = 0; i < coming; ++i)
      prepare(after[i]);
    if (table.laid)
      prepare(holder);
    return all([&](int seat, Card card) { return on_table[seat] + value(card, seat); });
  }

  Look named() {
    std::fill(average, average + rules.seats, w.coming);
    alignas(Named) char room[kSeats][sizeof(Named)];
    Named *of_seat[kSeats] = {};
    auto prepare = [&](int seat) { of_seat[seat] = new (room[seat]) Named(rules, table, seat); };
    prepare(me);
    for (int i = 0; i < coming; ++i)
      prepare(after[i]);
    if (table.laid)
      prepare(holder);
    return all([&](int seat, Card card) { return static_cast<float>(of_seat[seat]->gain(card)); });
  }
};

// The glance in Hat Trick.
struct HatGlance {
  const Rules &rules;
  const Table &table;
  const HatWeights &w;
  int me, coming, first = -1, second = -1;
  int lies[kColours] = {}, highest[kColours] = {-1, -1, -1, -1, -1, -1}, taker[kColours] = {};
  float each, held, stage;
  Cards hidden;

  HatGlance(const Rules &rules, const Table &table, const HatWeights &weights)
      : rules(rules), table(table), w(weights), me(table.turn(rules)),
        coming(rules.seats - 1 - table.laid) {
    each = w.others / static_cast<float>(rules.seats - 1);
    int total = 0;
    for (int colour = 0; colour < rules.colours; ++colour) {
      hidden.of[colour] = table.out.of[colour] & ~table.hand[me].of[colour];
      total += __builtin_popcount(hidden.of[colour]);
    }
    held = static_cast<float>(table.left) / static_cast<float>(std::max(total, 1));
    stage = static_cast<float>(table.left - 2) / static_cast<float>(rules.size - 2);
    for (int place = 0; place < table.laid; ++place) {
      int colour = colour_of(table.trick[place]), number = number_of(table.trick[place]);
      if (first < 0)
        first = colour;
      else if (colour != first && second < 0)
        second = colour;
      ++lies[colour];
      if (number > highest[colour]) {
        highest[colour] = number;
        taker[colour] = (table.leader + place) % rules.seats;
      }
    }
  }

  // What so many cards of a colour bring a seat; of its own hand it knows what it may still win.
  float gain(int seat, int colour, float cards) const {
    float count[kColours], most = 0;
    for (int c = 0; c < rules.colours; ++c) {
      count[c] = table.won[seat][c];
      if (seat == me)
        count[c] += w.hand * static_cast<float>(__builtin_popcount(table.hand[me].of[c] >> 11));
      most = std::max(most, count[c]);
    }
    return 2 * std::max(0.0F, count[colour] + cards - most) - cards;
  }

  // By how much a seat that plays after me wants cards of a colour: the mean over these seats.
  float wanted(int colour, float cards) const {
    float sum = 0;
    for (int i = 1; i <= coming; ++i)
      sum += gain((me + i) % rules.seats, colour, cards);
    return sum / static_cast<float>(coming);
  }

  int favourite() const {
    int best = 0;
    float most = -1;
    for (int c = 0; c < rules.colours; ++c) {
      float count = static_cast<float>(table.won[me][c]) +
                    w.hand * static_cast<float>(__builtin_popcount(table.hand[me].of[c] >> 11));
      if (count > most) {
        most = count;
        best = c;
      }
    }
    return best;
  }

  float of(Card card, int own) const {
    int colour = colour_of(card), number = number_of(card);
    float part = static_cast<float>(number) / static_cast<float>(rules.top);
    float keep = colour == own ? w.keep_own * part : w.keep_other * part;
    if (colour != own && number <= 6)
      keep += w.keep_low;
    keep *= stage;
    if (second >= 0 && colour != first && colour != second)
      return -2 * w.pass - keep;
    float cards = static_cast<float>(lies[colour] + 1);
    int holder = number > highest[colour] ? me : taker[colour];
    int best = std::max(number, highest[colour]);
    float more = w.coming * static_cast<float>(coming);
    float sum = 0, stays = 1;
    if (coming) {
      int beats = __builtin_popcount(hidden.of[colour] & ~((2U << best) - 1));
      float can = 1 - fade(held * static_cast<float>(beats));
      float want = wanted(colour, cards);
      float takes = can * clamped(0, w.shy + w.slope * want, w.keen);
      for (int i = 0; i < coming; ++i)
        stays *= 1 - takes;
      sum -= (1 - stays) * each * (want + more);
    }
    float brings = gain(holder, colour, cards + more);
    sum += stays * (holder == me ? brings : -each * brings);
    return sum + w.lead * part - keep;
  }

  Look all() const {
    int own = favourite();
    Look look;
    for (int colour = 0; colour < rules.colours; ++colour)
      for (uint32_t rest = table.hand[me].of[colour]; rest; rest &= rest - 1) {
        Card card = card_of(colour, __builtin_ctz(rest));
        look.add(card, of(card, own));
      }
    return look;
  }
};

} // namespace

Card Look::best() const {
  int chosen = 0;
  for (int i = 1; i < count; ++i)
    if (points[i] > points[chosen])
      chosen = i;
  return card[chosen];
}

Card Look::jittered(float jitter, Chance &chance) const {
  int chosen = 0;
  float most = -1e9F;
  for (int i = 0; i < count; ++i) {
    float seems = points[i] + jitter * chance.unit();
    if (seems > most) {
      most = seems;
      chosen = i;
    }
  }
  return card[chosen];
}

Look glance(const Rules &rules, const Table &table, const Weights &weights, const HatWeights &hat) {
  if (rules.hat)
    return HatGlance(rules, table, hat).all();
  Glance look(rules, table, weights);
  return rules.delayed ? look.named() : look.additive();
}

float down_score(const Rules &rules, const Weights &weights, const Cards &hand, Card card) {
  uint32_t same = hand.of[colour_of(card)] & ~(1U << number_of(card));
  int count = __builtin_popcount(same), sum = 0;
  for (uint32_t rest = same; rest; rest &= rest - 1)
    sum += rules.mild ? 5 : __builtin_ctz(rest);
  return weights.down_worth * static_cast<float>(rules.worth(card)) +
         weights.down_count * static_cast<float>(count) +
         weights.down_sum * static_cast<float>(sum) +
         weights.down_power * power_of(rules, number_of(card));
}

} // namespace tricks
