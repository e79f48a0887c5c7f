#include "position.hpp"

#include <algorithm>
#include <cmath>

namespace tricks {

namespace {

// How sure it is that the best card is laid down, and that what somebody has won was meant.
constexpr float kSure = 8.0F;
constexpr float kMeant = 0.15F;

constexpr int kMost = 32;

// How much what a seat has won speaks for a colour being special to it.
float evidence(const Rules &rules, const Table &known, int seat, int colour) {
  auto change = static_cast<float>(known.worth[seat][colour] + known.won[seat][colour]);
  return kMeant * (rules.reverse ? change : -change);
}

// A seat of a dealt table lays down what it may well have laid down.
void lay_down(const Position &position, const Policy &policy, Chance &chance, Table &table,
              int seat) {
  const Rules &rules = position.rules;
  for (int times = 0; times < rules.laid_down(); ++times) {
    Card cards[kMost];
    float scores[kMost], best = -1e9F, worst = 1e9F;
    int count = 0;
    for (int colour = 0; colour < rules.colours; ++colour) {
      if (table.special[seat] >> colour & 1)
        continue;
      for (uint32_t rest = table.hand[seat].of[colour]; rest; rest &= rest - 1) {
        Card card = card_of(colour, __builtin_ctz(rest));
        float score = policy.down(table.hand[seat], card);
        best = std::max(best, score);
        worst = std::min(worst, score);
        cards[count] = card;
        scores[count++] = score;
      }
    }
    if (count == 0) // one colour only: then both cards are of it
      return;
    float scale = kSure / std::max(best - worst, 1e-3F), sum = 0;
    for (int i = 0; i < count; ++i) {
      float sure = (scores[i] - best) * scale;
      sum += std::exp(sure + evidence(rules, position.known, seat, colour_of(cards[i])));
      scores[i] = sum;
    }
    float at = chance.unit() * sum;
    int chosen = 0;
    while (chosen < count - 1 && scores[chosen] <= at)
      ++chosen;
    designate(rules, table, seat, cards[chosen]);
  }
}

} // namespace

void recount(const Rules &rules, Table &table, int seat) {
  int sum = 0;
  for (int colour = 0; colour < rules.colours; ++colour)
    sum += table.special[seat] >> colour & 1 ? -table.worth[seat][colour] : table.won[seat][colour];
  table.points[seat] = static_cast<int16_t>(rules.reverse ? -sum : sum);
}

void designate(const Rules &rules, Table &table, int seat, Card card) {
  table.special[seat] |= static_cast<uint8_t>(1 << colour_of(card));
  table.hand[seat].drop(card);
  if (!rules.hazy)
    table.out.drop(card);
  own(rules, table, seat, card);
  recount(rules, table, seat);
}

Position::Position(const int *words) {
  auto next = [&words] { return *words++; };
  for (int *field :
       {&rules.hat, &rules.stick, &rules.reverse, &rules.mild, &rules.aggravated, &rules.hazy,
        &rules.delayed, &rules.seats, &rules.colours, &rules.low, &rules.top, &rules.size})
    *field = next();
  kind = static_cast<Kind>(next());
  me = next();
  known.leader = static_cast<int8_t>(next());
  for (int colour = 0; colour < rules.colours; ++colour)
    for (int number = rules.low; number <= rules.top; ++number)
      known.out.add(card_of(colour, number));
  for (int count = next(); count > 0; --count)
    known.out.drop(static_cast<Card>(next()));
  bool down = kind != Kind::designate && rules.laid_down() > 0;
  known.left = static_cast<int8_t>(rules.size - (down ? rules.laid_down() : 0));
  for (int seat = 0; seat < rules.seats; ++seat) {
    int count = next();
    masked[seat] = down && count < 0;
    for (; count > 0; --count) {
      auto card = static_cast<Card>(next());
      designate(rules, known, seat, card);
      known.out.drop(card);
    }
  }
  for (int count = next(); count > 0; --count)
    lay(rules, known, static_cast<Card>(next()));
  for (int count = next(); count > 0; --count)
    known.hand[me].add(static_cast<Card>(next()));
  for (int colour = 0; colour < rules.colours; ++colour)
    for (int number = rules.low; number <= rules.top; ++number)
      if ((known.out.of[colour] & ~known.hand[me].of[colour]) >> number & 1)
        unseen.push_back(card_of(colour, number));
  for (int place = 0; place < rules.seats; ++place) {
    int seat = (known.leader + place) % rules.seats;
    needs[seat] =
        seat == me ? 0 : known.left - (place < known.laid) + (masked[seat] ? rules.laid_down() : 0);
  }
  for (int count = next(); count > 0; --count) {
    int first = next();
    options.push_back({first, next()});
  }
}

Table Position::deal(const Policy &policy, Chance &chance) const {
  Table table = known;
  Card order[192];
  auto count = static_cast<int>(unseen.size());
  std::copy(unseen.begin(), unseen.end(), order);
  int at = 0;
  for (int seat = 0; seat < rules.seats; ++seat)
    for (int need = needs[seat]; need > 0; --need, ++at) {
      std::swap(order[at], order[at + chance.below(count - at)]);
      table.hand[seat].add(order[at]);
    }
  bool asked = kind == Kind::designate;
  for (int seat = 0; seat < rules.seats; ++seat)
    if (masked[seat] || (asked && seat != me))
      lay_down(*this, policy, chance, table, seat);
  return table;
}

} // namespace tricks
