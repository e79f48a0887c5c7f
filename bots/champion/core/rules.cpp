#include "rules.hpp"

namespace tricks {

namespace {

void take(const Rules &rules, Table &table, int seat, Card card) {
  int colour = colour_of(card);
  ++table.won[seat][colour];
  if (rules.hat)
    return;
  table.worth[seat][colour] = static_cast<int16_t>(table.worth[seat][colour] + rules.worth(card));
  if (!rules.delayed)
    table.points[seat] =
        static_cast<int16_t>(table.points[seat] + rules.value(card, table.special[seat]));
}

int seat_at(const Rules &rules, int leader, int place) {
  int seat = leader + place;
  return seat < rules.seats ? seat : seat - rules.seats;
}

// One trick, or none if it is of nothing but zeros in Stick 'Em.
void take_single(const Rules &rules, Table &table) {
  if (table.strongest == 0 && rules.stick)
    return;
  int seat = seat_at(rules, table.leader, table.strongest == 0 ? 0 : table.winner);
  for (int place = 0; place < rules.seats; ++place)
    take(rules, table, seat, table.trick[place]);
  table.leader = static_cast<int8_t>(seat);
}

// The place of who leads after a double trick: the highest number laid once, passes left out.
int next_leader(const Rules &rules, const Table &table, int first, int second) {
  int times[32] = {}, place_of[32] = {}, top = -1, top_place = 0;
  for (int place = 0; place < rules.seats; ++place) {
    Card card = table.trick[place];
    int colour = colour_of(card), number = number_of(card);
    if (colour != first && colour != second)
      continue;
    ++times[number];
    place_of[number] = place;
    // Hat Trick's colours are counted from the worst to the best.
    if (number * 3 + colour > top) {
      top = number * 3 + colour;
      top_place = place;
    }
  }
  for (int number = 31; number >= 0; --number)
    if (times[number] == 1)
      return place_of[number];
  return top_place;
}

void take_double(const Rules &rules, Table &table) {
  int first = colour_of(table.trick[0]), second = -1;
  int best[kColours] = {-1, -1, -1, -1, -1, -1}, winner[kColours] = {};
  for (int place = 0; place < rules.seats; ++place) {
    int colour = colour_of(table.trick[place]), number = number_of(table.trick[place]);
    if (colour != first && second < 0)
      second = colour;
    if (number > best[colour]) {
      best[colour] = number;
      winner[colour] = place;
    }
  }
  for (int place = 0; place < rules.seats; ++place) {
    int colour = colour_of(table.trick[place]);
    if (colour == first || colour == second)
      take(rules, table, seat_at(rules, table.leader, winner[colour]), table.trick[place]);
    else
      ++table.passes[seat_at(rules, table.leader, place)];
  }
  int leads = next_leader(rules, table, first, second);
  table.leader = static_cast<int8_t>(seat_at(rules, table.leader, leads));
}

} // namespace

void own(const Rules &rules, Table &table, int seat, Card card) { take(rules, table, seat, card); }

void lay(const Rules &rules, Table &table, Card card) {
  table.hand[table.turn(rules)].drop(card);
  table.out.drop(card);
  int led = colour_of(table.laid ? table.trick[0] : card);
  int strong = strength(rules, led, card);
  if (strong > table.strongest) {
    table.strongest = static_cast<int16_t>(strong);
    table.winner = table.laid;
  }
  table.trick[table.laid++] = card;
  if (table.laid < rules.seats)
    return;
  if (rules.hat)
    take_double(rules, table);
  else
    take_single(rules, table);
  table.laid = 0;
  table.strongest = -1;
  --table.left;
}

int best_named(const Rules &rules, const Table &table, int seat, int &colours) {
  int total = 0, change[kColours], present = 0;
  for (int colour = 0; colour < rules.colours; ++colour) {
    int count = table.won[seat][colour];
    total += count;
    change[colour] = table.worth[seat][colour] + count;
    present += count > 0;
  }
  colours = 0;
  int sum = total;
  for (int named = 0; named < 1 + rules.aggravated && named < present; ++named) {
    int best = -1;
    for (int colour = 0; colour < rules.colours; ++colour) {
      if (table.won[seat][colour] == 0 || colours >> colour & 1)
        continue;
      if (best < 0 ||
          (rules.reverse ? change[colour] > change[best] : change[colour] < change[best]))
        best = colour;
    }
    colours |= 1 << best;
    sum -= change[best];
  }
  return rules.reverse ? -sum : sum;
}

int score(const Rules &rules, const Table &table, int seat) {
  if (rules.hat) {
    int most = 0, total = 0;
    for (int colour = 0; colour < rules.colours; ++colour) {
      int count = table.won[seat][colour];
      total += count;
      most = count > most ? count : most;
    }
    return 2 * most - total - 2 * table.passes[seat];
  }
  if (!rules.delayed)
    return table.points[seat];
  int colours = 0;
  return best_named(rules, table, seat, colours);
}

} // namespace tricks
