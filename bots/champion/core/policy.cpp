#include "policy.hpp"

#include <algorithm>
#include <cmath>

namespace tricks {

namespace {

// What a seat goes by in Sticheln and Stick 'Em.
struct Taste {
  float led;    // how much weaker a card of the led colour is than the same number as a trump
  float hold;   // how eager those who come later are to win a trick
  float risk;   // what each of those who come later does to who wins
  float keep;   // what the strongest card is good for later
  float early;  // how much more, the more cards are left
  float own;    // what a point on a card of an own special colour counts while it is in the hand
  float danger; // what it costs to lead the highest card of an own special colour
  float spite;  // what it counts if another seat gets a point
  float gift;   // what a point counts on a card in the hand that is bad for others
  float lead;   // what it costs to win a trick and lead the next one
  float sharp;  // how much less the middling cards are good for
};
constexpr Taste kPlain = {0.24F, 0.5F, 5, 0.6F, -0.1F, 0.3F, 3, 1.4F, -0.12F, -0.5F, 1.6F};
constexpr Taste kReverse = {0.6F, 0.35F, 1.4F, 0.1F, 0, 0.6F, 0, 0.7F, 0, 0.1F, 1};

// And in Hat Trick.
struct HatTaste {
  float passing; // what a pass costs
  float later;   // how many cards each of those who come later adds to a trick
  float keep;    // what the highest card of the colour that is collected is good for later
  float rid;     // what it is worth to be rid of the highest card of another colour
  float hold;    // how eager those who come later are to win a trick
  float other;   // what it costs to win a card of another colour
  float sharp;   // how much less the middling cards are good for
  float early;   // how much more the highest card is good for, the more cards are left
  float gift;    // what it counts if another seat gets or loses a point
};
constexpr HatTaste kHat = {2, 0.4F, 1.3F, 1.9F, 0.7F, 1.3F, 1.6F, 1.1F, 0.1F};

// What a card in the hand counts beside one that is won, for the colours to be named.
constexpr float kHeld = 0.3F;

// Cards in a hand are counted in units of so many.
constexpr float kHand = 15;

// Choosing a card to lay down: what its number, the number and the worth of the other cards of its
// colour in the hand, and its power count for.
struct Down {
  float worth, count, sum, power;
};
// By reverse, mild and aggravated; found by letting seats with different ones play.
constexpr Down kDown[8] = {
    {-0.324F, 0.107F, 0.0616F, -0.833F}, {-0.324F, 0.107F, 0.0616F, -0.2F},
    {-0.324F, 0.317F, 0.132F, -0.542F},  {-0.425F, 0.107F, 0.0616F, -0.833F},
    {2.4F, -0.0671F, 0.1F, -0.899F},     {2.23F, -0.0671F, -0.258F, -0.899F},
    {2.4F, -0.0671F, 0.1F, -0.899F},     {2.4F, -0.0671F, 0.622F, -0.35F},
};
const Down &down_by(const Rules &rules) {
  return kDown[rules.reverse << 2 | rules.mild << 1 | rules.aggravated];
}

const Taste &taste(const Rules &rules) { return rules.reverse ? kReverse : kPlain; }

float power_of(const Rules &rules, int number) {
  if (number == 0)
    return 0;
  int rank = rules.reverse ? rules.top - number : number;
  return static_cast<float>(rank) / static_cast<float>(rules.top);
}

} // namespace

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

Policy::Policy(const Rules &rules) : rules_(rules) {
  const Taste &t = taste(rules);
  each_ = (rules.hat ? kHat.gift : t.spite) / static_cast<float>(rules.seats - 1);
  for (int colour = 0; colour < rules.colours; ++colour)
    for (int number = rules.low; number <= rules.top; ++number) {
      Card card = card_of(colour, number);
      float power = power_of(rules, number);
      auto worth = static_cast<float>(rules.worth(card));
      if (rules.hat) {
        float strong = std::pow(power, kHat.sharp);
        keep_[0][card] = -kHat.rid * strong;
        keep_[1][card] = kHat.keep * strong;
        early_[0][card] = 0;
        early_[1][card] = kHat.early * strong;
      } else {
        float strong = std::pow(power, t.sharp);
        keep_[0][card] = t.keep * strong + (rules.reverse ? 0 : t.gift * (worth + 1));
        keep_[1][card] = t.own * (rules.reverse ? worth : -worth * power);
        early_[0][card] = t.early * strong;
        early_[1][card] = 0;
        danger_[0][card] = 0;
        danger_[1][card] = t.danger * power;
      }
    }
  for (int coming = 0; coming < rules.seats; ++coming)
    for (int number = rules.low; number <= rules.top; ++number)
      for (int led = 0; led < 2; ++led) {
        float weak = power_of(rules, number) * (led && !rules.hat ? t.led : 1);
        float hold = rules.hat ? kHat.hold : t.hold;
        holds_[coming][led][number] =
            std::pow(std::max(weak, 1e-9F), hold * static_cast<float>(coming));
      }
}

void Policy::aim(Table &table) const {
  if (!rules_.delayed && !rules_.hat)
    return;
  for (int seat = 0; seat < rules_.seats; ++seat) {
    float hopes[kColours];
    for (int colour = 0; colour < rules_.colours; ++colour) {
      uint32_t rest = table.hand[seat].of[colour];
      int count = __builtin_popcount(rest), sum = 0;
      if (rules_.hat) {
        for (; rest; rest &= rest - 1) {
          int number = __builtin_ctz(rest);
          sum += number * number;
        }
        auto top = static_cast<float>(rules_.top);
        hopes[colour] =
            static_cast<float>(table.won[seat][colour]) + static_cast<float>(sum) / (top * top);
        continue;
      }
      if (rules_.mild)
        sum = 5 * count;
      else
        for (; rest; rest &= rest - 1)
          sum += __builtin_ctz(rest);
      float change = static_cast<float>(table.worth[seat][colour] + table.won[seat][colour]) +
                     kHeld * static_cast<float>(sum + count);
      hopes[colour] = rules_.reverse ? change : -change;
    }
    int first = 0;
    for (int colour = 1; colour < rules_.colours; ++colour)
      if (hopes[colour] > hopes[first])
        first = colour;
    int aims = 1 << first;
    if (rules_.aggravated) {
      int second = first ? 0 : 1;
      for (int colour = 0; colour < rules_.colours; ++colour)
        if (colour != first && hopes[colour] > hopes[second])
          second = colour;
      aims |= 1 << second;
    }
    table.special[seat] = static_cast<uint8_t>(aims);
  }
}

Look Policy::look(const Table &table) const {
  return rules_.hat ? hat_trick(table) : sticheln(table);
}

Look Policy::sticheln(const Table &table) const {
  const Taste &t = taste(rules_);
  int me = table.turn(rules_), special = table.special[me], theirs = 0;
  int coming = rules_.seats - 1 - table.laid;
  int led = -1, mine = 0, gets = 0; // what the trick as it lies brings me, and who has it now
  if (table.laid) {
    led = colour_of(table.trick[0]);
    int holder = table.leader + table.winner;
    theirs = table.special[holder < rules_.seats ? holder : holder - rules_.seats];
    for (int place = 0; place < table.laid; ++place) {
      mine += rules_.value(table.trick[place], special);
      gets += rules_.value(table.trick[place], theirs);
    }
  }
  float later = static_cast<float>(table.left) / kHand;
  float risk = t.risk * static_cast<float>(coming);
  Look look;
  for (int colour = 0; colour < rules_.colours; ++colour) {
    int own = special >> colour & 1;
    for (uint32_t rest = table.hand[me].of[colour]; rest; rest &= rest - 1) {
      int number = __builtin_ctz(rest);
      Card card = card_of(colour, number);
      float points = -keep_[own][card] - early_[own][card] * later;
      if (led < 0) {
        points -= danger_[own][card];
      } else if (strength(rules_, led, card) > table.strongest) {
        float brings = static_cast<float>(mine + rules_.value(card, special)) - risk;
        points += brings * holds_[coming][colour == led][number] - t.lead;
      } else {
        points -= each_ * static_cast<float>(gets + rules_.value(card, theirs));
      }
      look.add(card, points);
    }
  }
  return look;
}

Look Policy::hat_trick(const Table &table) const {
  int me = table.turn(rules_), coming = rules_.seats - 1 - table.laid, open = 0;
  int highest[kColours] = {-1, -1, -1, -1, -1, -1}, count[kColours] = {}, taker[kColours] = {};
  for (int place = 0; place < table.laid; ++place) {
    int colour = colour_of(table.trick[place]), number = number_of(table.trick[place]);
    if (highest[colour] < 0 && open == 2)
      continue; // a pass
    open += highest[colour] < 0;
    ++count[colour];
    if (number > highest[colour]) {
      highest[colour] = number;
      taker[colour] = (table.leader + place) % rules_.seats;
    }
  }
  float later = static_cast<float>(table.left) / kHand;
  float more = 1 + kHat.later * static_cast<float>(coming);
  Look look;
  for (int colour = 0; colour < rules_.colours; ++colour) {
    int own = table.special[me] >> colour & 1;
    bool passes = highest[colour] < 0 && open == 2;
    bool wanted = table.special[taker[colour]] >> colour & 1;
    float winning = (static_cast<float>(count[colour]) + more) * (own ? 1 : -kHat.other);
    for (uint32_t rest = table.hand[me].of[colour]; rest; rest &= rest - 1) {
      int number = __builtin_ctz(rest);
      Card card = card_of(colour, number);
      float points = -keep_[own][card] - early_[own][card] * later;
      if (passes)
        points -= kHat.passing;
      else if (number > highest[colour])
        points += winning * holds_[coming][0][number];
      else
        points += wanted ? -each_ : each_;
      look.add(card, points);
    }
  }
  return look;
}

float Policy::down(const Cards &hand, Card card) const {
  uint32_t same = hand.of[colour_of(card)] & ~(1U << number_of(card));
  int count = __builtin_popcount(same), sum = 0;
  for (uint32_t rest = same; rest; rest &= rest - 1)
    sum += rules_.mild ? 5 : __builtin_ctz(rest);
  const Down &w = down_by(rules_);
  return w.worth * static_cast<float>(rules_.worth(card)) + w.count * static_cast<float>(count) +
         w.sum * static_cast<float>(sum) + w.power * power_of(rules_, number_of(card));
}

} // namespace tricks
