// A small, fast source of chance that gives the same on every machine.
#pragma once

#include <cstdint>

namespace tricks {

class Chance {
public:
  explicit Chance(uint64_t seed) : state_(seed) {}

  // SplitMix64.
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  // A whole number below `limit`.
  int below(int limit) {
    return static_cast<int>(((next() >> 32) * static_cast<uint64_t>(limit)) >> 32);
  }

  // From 0 up to, but not including, 1.
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24F; }

private:
  uint64_t state_;
};

} // namespace tricks
