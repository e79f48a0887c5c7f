// Which option is best, over many deals that could be.
#pragma once

#include "position.hpp"

namespace tricks {

struct Found {
  int option;
  double points; // what it is expected to bring, less what the others get on average
  int deals;
};

// `opinion` says what each option seems to bring before anything is played out. As much is done as
// `work` allows, which alone makes the answer; `cpu` seconds of this process are the very last
// limit.
Found search(const Position &position, const double *opinion, Chance &chance, double work,
             double cpu);

} // namespace tricks
