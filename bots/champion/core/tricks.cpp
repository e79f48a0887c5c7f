// What Python calls.
#include "search.hpp"

extern "C" {

// The number of the option to choose; `points` and `deals` say how good it seems, and after how
// many deals.
int tricks_choose(const int *words, const double *opinion, uint64_t seed, double work, double cpu,
                  double *points, int *deals) {
  tricks::Position position(words);
  tricks::Chance chance(seed);
  tricks::Found found = tricks::search(position, opinion, chance, work, cpu);
  *points = found.points;
  *deals = found.deals;
  return found.option;
}

// For tests: who leads, and the points of each seat with these special colours.
int tricks_points(const int *words, const int *special, int *points) {
  tricks::Position position(words);
  for (int seat = 0; seat < position.rules.seats; ++seat) {
    if (!position.rules.hat) {
      position.known.special[seat] = static_cast<uint8_t>(special[seat]);
      tricks::recount(position.rules, position.known, seat);
    }
    points[seat] = position.rules.hat ? tricks::score(position.rules, position.known, seat)
                                      : position.known.points[seat];
  }
  return position.known.leader;
}
}
