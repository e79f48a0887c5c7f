// Which option is best, over many deals that could be.
#pragma once

#include "position.hpp"

namespace tricks {

struct Found {
  int option;
  double points; // what it is expected to bring, less what the others get on average
  int deals;
};

// As much is done as `work` allows, which alone makes the answer; `cpu` seconds of this process
// are the very last limit.
Found search(const Position &position, Chance &chance, double work, double cpu);

} // namespace tricks
