// The play of a round, searched with all cards open.
#pragma once

#include "draft_value.hpp"

#include <cmath>

namespace draft {

// The cards worth thinking about: of neighbours in one hand that nothing separates, the lowest.
inline Cards distinct(const Table &table, const Ranking &ranks, Cards legal) {
  Cards live = table.trick;
  for (int seat = 0; seat < table.seats; ++seat)
    if (seat != table.seat)
      live |= table.hand[seat];
  live &= ~ranks.numbers;
  Cards kept = 0;
  int before = -1;
  for (Cards rest = legal; rest; rest &= rest - 1) {
    int card = lowest(rest);
    if (ranks.numbers & bit(card)) {
      kept |= bit(card);
      continue;
    }
    bool same = before >= 0 && colour_of(before) == colour_of(card) &&
                !(live & (bit(card) - 1) & ~(2 * bit(before) - 1));
    if (!same)
      kept |= bit(card);
    before = card;
  }
  return kept;
}

enum Mood { kAnything, kWin, kDuck, kSave };

// What a seat that is after a task wants of this trick.
inline Mood mood(const Table &table, int task, Chance &chance) {
  int seat = table.seat, won = table.won[seat], left = table.left();
  if (wanted(task) >= 0) {
    int missing = wanted(task) - won;
    if (missing < 0 || missing > left)
      return kAnything;
    if (missing == 0)
      return kDuck;
    return chance.below(left) < missing ? kWin : kDuck;
  }
  int colour = forbidden(task);
  if (colour != kNoColour) {
    if (table.colours[seat] >> colour & 1)
      return kAnything;
    if (table.shown >> colour & 1)
      return kDuck;
    return chance.below(4) == 0 ? kAnything : kDuck;
  }
  if (task == kLast)
    return left == 1 ? kWin : kSave;
  return task == kMost ? kWin : kDuck;
}

inline int weakest(const Ranking &ranks, Cards cards) {
  int found = lowest(cards);
  for (Cards rest = cards; rest; rest &= rest - 1)
    if (ranks.strength[lowest(rest)] < ranks.strength[found])
      found = lowest(rest);
  return found;
}

inline int strongest(const Ranking &ranks, Cards cards) {
  int found = lowest(cards);
  for (Cards rest = cards; rest; rest &= rest - 1)
    if (ranks.strength[lowest(rest)] > ranks.strength[found])
      found = lowest(rest);
  return found;
}

// A sensible card at little cost.
inline int quick(const Table &table, const Ranking &ranks, Cards legal, Mood wish, Chance &chance) {
  if (!(legal & (legal - 1)))
    return lowest(legal);
  if (wish == kAnything)
    return chance.of(legal);
  if (table.played == 0)
    return wish == kWin ? strongest(ranks, legal) : weakest(ranks, legal);
  if (wish == kSave)
    return weakest(ranks, legal);
  Cards winning = 0;
  for (Cards rest = legal; rest; rest &= rest - 1)
    if (ranks.beats(lowest(rest), table.best))
      winning |= rest & -rest;
  bool ends = table.played + 1 == table.seats;
  if (wish == kWin) {
    if (!winning)
      return weakest(ranks, legal);
    return ends ? weakest(ranks, winning) : strongest(ranks, winning);
  }
  Cards losing = legal & ~winning;
  if (losing)
    return strongest(ranks, losing);
  return ends ? strongest(ranks, legal) : weakest(ranks, legal);
}

// The rest of a round with sensible cards; how many were played.
inline int finish(Table &table, const Goal &goal, Chance &chance, int last) {
  int cards = 0;
  int8_t tasks[kSeats];
  for (int seat = 0; seat < goal.seats; ++seat)
    tasks[seat] = goal.tasks[seat];
  int model = chance.below(goal.seats - 1);
  tasks[goal.dealer] = goal.tasks[(goal.dealer + 1 + model) % goal.seats];
  while (!table.ended(last)) {
    Cards legal = table.legal(*goal.ranks);
    Mood wish = kAnything;
    if ((legal & (legal - 1)) && chance.below(2) == 0)
      wish = mood(table, tasks[table.seat], chance);
    table.play(*goal.ranks, quick(table, *goal.ranks, legal, wish, chance));
    ++cards;
  }
  return cards;
}

struct Branch {
  int32_t node; // -1: not yet made
  int32_t visits;
  float sum; // of what it was worth to the seat whose turn it is
  int8_t choice;
};

struct Node {
  int32_t visits;
  int8_t seat;
  int8_t count;
  Branch branches[kTricks];
};

constexpr size_t kNodes = 1 << 18;

inline std::vector<Node> &nodes() {
  static std::vector<Node> pool;
  pool.reserve(kNodes);
  return pool;
}

// The branch that promises most, the less visited ones with a bonus.
inline int promising(const Node &node, float curiosity) {
  float log_visits = std::log(static_cast<float>(node.visits + 1));
  float best = -1e9f;
  int found = 0;
  for (int at = 0; at < node.count; ++at) {
    const Branch &branch = node.branches[at];
    if (branch.visits == 0)
      return at;
    float score = branch.sum / branch.visits + curiosity * std::sqrt(log_visits / branch.visits);
    if (score > best) {
      best = score;
      found = at;
    }
  }
  return found;
}

inline int make_node(const Table &table, const Ranking &ranks, Chance &chance) {
  std::vector<Node> &pool = nodes();
  if (pool.size() >= kNodes)
    return -1;
  pool.emplace_back();
  Node &node = pool.back();
  node.visits = 0;
  node.seat = table.seat;
  node.count = 0;
  for (Cards rest = distinct(table, ranks, table.legal(ranks)); rest; rest &= rest - 1)
    node.branches[node.count++] = {-1, 0, 0, static_cast<int8_t>(lowest(rest))};
  for (int at = node.count - 1; at > 0; --at)
    std::swap(node.branches[at], node.branches[chance.below(at + 1)]);
  return static_cast<int>(pool.size()) - 1;
}

enum Status { kOpen, kSure, kLost };

// Whether it is already clear, between tricks, that a seat will or will not fulfil a task.
inline Status status(const Table &table, int task, int seat) {
  int won = table.won[seat], left = table.left();
  if (wanted(task) >= 0)
    return won > wanted(task) || won + left < wanted(task) ? kLost : kOpen;
  if (forbidden(task) != kNoColour)
    return table.colours[seat] >> forbidden(task) & 1 ? kLost : kOpen;
  if (task == kLast)
    return kOpen;
  Status found = kSure;
  for (int other = 0; other < table.seats; ++other) {
    if (other == seat)
      continue;
    int ahead = task == kMost ? won - table.won[other] : table.won[other] - won;
    if (ahead + left <= 0)
      return kLost;
    if (ahead - left <= 0)
      found = kOpen;
  }
  return found;
}

// Who will discard a token, if that is already clear between tricks, else -1.
inline int settled(const Table &table, const Goal &goal) {
  int gone = 0;
  bool open = false;
  for (int seat = 0; seat < goal.seats; ++seat) {
    if (goal.tasks[seat] < 0)
      continue;
    Status owner = status(table, goal.tasks[seat], seat);
    if (owner == kOpen)
      return -1;
    if (owner == kSure) {
      gone |= 1 << seat;
      continue;
    }
    Status dealer = status(table, goal.tasks[seat], goal.dealer);
    open = open || dealer == kOpen;
    if (dealer == kSure)
      gone |= 1 << goal.dealer;
  }
  return open && !(gone >> goal.dealer & 1) ? -1 : gone;
}

// The end of a round looked through to the last card: everybody does what is best for themselves,
// and where several cards are equally good to an opponent, any of them.
class Endgame {
public:
  Endgame(const Goal &goal, Work &work) : goal_(goal), work_(work) {
    for (int seat = 0; seat < goal.seats; ++seat) {
      int task = goal.tasks[seat];
      if (task == kMost || task == kFewest)
        std::fill(counts_, counts_ + kSeats, static_cast<int8_t>(kTricks));
      if (task < 0)
        continue;
      for (int who : {seat, goal.dealer}) {
        counts_[who] = std::max<int8_t>(counts_[who], wanted(task) + 1);
        if (forbidden(task) != kNoColour)
          colours_[who] |= 1 << forbidden(task);
      }
    }
    static uint32_t uses = 0;
    use_ = ++uses;
  }

  static void prepare() { table().resize(kPlaces); }

  bool failed() const { return failed_; }

  Values value(const Table &state) {
    if (failed_)
      return {};
    if (state.over())
      return goal_.value(state);
    uint64_t key = 0;
    Place *place = nullptr;
    if (state.played == 0) {
      key = key_of(state);
      place = &table()[(key * 0x9E3779B97F4A7C15u) >> (64 - kBits)];
      if (place->use == use_ && place->key == key)
        return place->value;
      int gone = settled(state, goal_);
      if (gone >= 0)
        return goal_.worth[gone];
    }
    if (work_.spent(kCost)) {
      failed_ = true;
      return {};
    }
    Values best{};
    int equal = 0;
    Cards options = distinct(state, *goal_.ranks, state.legal(*goal_.ranks));
    for (Cards rest = options; rest; rest &= rest - 1) {
      Table next = state;
      next.play(*goal_.ranks, lowest(rest));
      Values found = value(next);
      float gain = found[state.seat] - (equal ? best[state.seat] : 0);
      if (equal == 0 || gain > kEqual) {
        best = found;
        equal = 1;
      } else if (gain > -kEqual) {
        ++equal;
        for (int seat = 0; seat < goal_.seats; ++seat)
          best[seat] += (found[seat] - best[seat]) / equal;
      }
    }
    if (place != nullptr && !failed_)
      *place = {key, use_, best};
    return best;
  }

private:
  struct Place {
    uint64_t key;
    uint32_t use;
    Values value;
  };
  static constexpr int kBits = 18;
  static constexpr int kCost = 2; // of a place looked at, in cards played
  static constexpr size_t kPlaces = size_t{1} << kBits;
  static constexpr float kEqual = 1e-4f;

  static std::vector<Place> &table() {
    static std::vector<Place> places;
    return places;
  }

  uint64_t key_of(const Table &state) const {
    Cards cards = 0;
    uint64_t past = 0;
    for (int seat = 0; seat < state.seats; ++seat)
      cards |= state.hand[seat];
    for (int seat = 0; seat < state.seats; ++seat)
      past = past << 8 | std::min(state.won[seat], counts_[seat]) << 4 |
             (state.colours[seat] & colours_[seat]);
    return cards ^ (static_cast<uint64_t>(state.seat) << 36) ^ (past * 0xD6E8FEB86659FD93u);
  }

  const Goal &goal_;
  Work &work_;
  uint32_t use_;
  uint8_t colours_[kSeats] = {}; // what of the past matters: colours won,
  int8_t counts_[kSeats] = {};   // and tricks won, up to this many
  bool failed_ = false;
};

constexpr float kCuriosity = 0.4f;
constexpr int kLastTricks = 3; // looked through instead of played at chance

// One visit to the tree of a round in play; how many cards were played.
inline int visit(int root, Table table, const Goal &goal, Chance &chance, Values &value,
                 Endgame *endgame = nullptr) {
  std::vector<Node> &pool = nodes();
  int path[kCards], taken[kCards], depth = 0, cards = 0, node = root;
  int last = endgame ? kLastTricks : 0;
  while (node >= 0 && !table.ended(last)) {
    int at = promising(pool[node], kCuriosity);
    path[depth] = node;
    taken[depth++] = at;
    table.play(*goal.ranks, pool[node].branches[at].choice);
    ++cards;
    int next = pool[node].branches[at].node;
    if (next < 0 && !table.ended(last)) {
      if (pool[node].branches[at].visits > 0 || depth == 1)
        pool[node].branches[at].node = make_node(table, *goal.ranks, chance);
      next = -1;
    }
    node = next;
  }
  cards += finish(table, goal, chance, last);
  value = endgame ? endgame->value(table) : goal.value(table);
  if (endgame && endgame->failed())
    return cards;
  for (int step = 0; step < depth; ++step) {
    Node &seen = pool[path[step]];
    Branch &branch = seen.branches[taken[step]];
    ++seen.visits;
    ++branch.visits;
    branch.sum += value[seen.seat];
  }
  return cards + 6;
}

} // namespace draft
