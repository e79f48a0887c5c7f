#include "search.hpp"
#include "tree.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>

namespace tricks {

namespace {

constexpr int kPairs = 24;   // pairs to lay down that are looked at, of up to a hundred
constexpr int kDeals = 4000; // looked at before the worse half of the options is dropped, at most
constexpr float kJitter = 0.5F; // points by which cards are misjudged in a playout

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Search {
public:
  Search(const Position &position, Chance &chance)
      : position_(position), rules_(position.rules), chance_(chance),
        weights_(weights_for(position.rules)), hat_(hat_weights()),
        tree_(position.rules, position.options.size()) {}

  Found at_a_glance() const {
    const auto &options = position_.options;
    int best = 0;
    if (position_.kind == Kind::play) {
      Card card = glance(rules_, position_.known, weights_, hat_).best();
      for (size_t i = 0; i < options.size(); ++i)
        if (options[i].first == card)
          best = static_cast<int>(i);
      return {best, 0, 0};
    }
    for (size_t i = 1; i < options.size(); ++i)
      if (down(options[i]) > down(options[best]))
        best = static_cast<int>(i);
    return {best, 0, 0};
  }

  // After the last trick nothing is hidden any more: what each colour brings is known.
  Found named() const {
    int best = 0;
    int most = -100000;
    for (size_t i = 0; i < position_.options.size(); ++i) {
      Table table = position_.known;
      const Option &option = position_.options[i];
      table.special[position_.me] =
          static_cast<uint8_t>(1 << option.first | (option.second < 0 ? 0 : 1 << option.second));
      recount(rules_, table, position_.me);
      if (table.points[position_.me] > most) {
        most = table.points[position_.me];
        best = static_cast<int>(i);
      }
    }
    return {best, static_cast<double>(most), 0};
  }

  // Sequential halving: every option on the same deals, and again and again only the better half.
  Found halving(double work, double cpu) {
    std::vector<int> alive(position_.options.size());
    std::iota(alive.begin(), alive.end(), 0);
    if (position_.kind == Kind::designate && alive.size() > kPairs) {
      std::stable_sort(alive.begin(), alive.end(), [&](int a, int b) {
        return down(position_.options[a]) > down(position_.options[b]);
      });
      alive.resize(kPairs);
    }
    std::vector<double> sums(position_.options.size());
    int phases = 0, deals = 0;
    for (size_t n = alive.size(); n > 1; n = (n + 1) / 2)
      ++phases;
    double until = cpu_seconds() + cpu;
    for (int phase = 1; phase <= phases; ++phase) {
      while (deals == 0 || (work_ < work * phase / phases && deals < kDeals * phase)) {
        Table table = position_.deal(weights_, chance_);
        uint64_t luck = chance_.next();
        for (int option : alive)
          sums[option] += outcome(table, option, Chance(luck));
        ++deals;
        if (cpu_seconds() > until)
          phases = 0;
        if (phases == 0)
          break;
      }
      std::stable_sort(alive.begin(), alive.end(), [&](int a, int b) { return sums[a] > sums[b]; });
      alive.resize((alive.size() + 1) / 2);
    }
    return {alive[0], sums[alive[0]] / deals, deals};
  }

private:
  float down(const Option &option) const {
    const Cards &hand = position_.known.hand[position_.me];
    float sum = down_score(rules_, weights_, hand, static_cast<Card>(option.first));
    if (option.second >= 0)
      sum += down_score(rules_, weights_, hand, static_cast<Card>(option.second));
    return sum;
  }

  // What an option brings in a deal if everybody then plays at a glance.
  double outcome(Table table, int number, Chance chance) {
    const Option &option = position_.options[number];
    work_ += 100;
    if (position_.kind == Kind::designate) {
      designate(rules_, table, position_.me, static_cast<Card>(option.first));
      if (option.second >= 0)
        designate(rules_, table, position_.me, static_cast<Card>(option.second));
      table.left = static_cast<int8_t>(table.left - rules_.laid_down());
    } else {
      lay(rules_, table, static_cast<Card>(option.first));
    }
    tree_.descend(number, table, [&] { return look(table); });
    while (!table.over(rules_))
      lay(rules_, table, look(table).jittered(kJitter, chance));
    float scores[kSeats], sum = 0;
    for (int seat = 0; seat < rules_.seats; ++seat)
      sum += scores[seat] = static_cast<float>(score(rules_, table, seat));
    auto others = static_cast<float>(rules_.seats - 1);
    for (int seat = 0; seat < rules_.seats; ++seat)
      scores[seat] -= (sum - scores[seat]) / others;
    tree_.learn(scores);
    return scores[position_.me];
  }

  Look look(const Table &table) {
    work_ += table.left * (4 + rules_.seats - table.laid) + 10;
    return glance(rules_, table, weights_, hat_);
  }

  const Position &position_;
  const Rules &rules_;
  Chance &chance_;
  const Weights &weights_;
  const HatWeights &hat_;
  Tree tree_;
  double work_ = 0;
};

// Less than this is not worth looking beyond a glance.
constexpr double kLeast = 20000;

} // namespace

Found search(const Position &position, Chance &chance, double work, double cpu) {
  Search search(position, chance);
  if (position.kind == Kind::delayed)
    return search.named();
  if (work < kLeast)
    return search.at_a_glance();
  return search.halving(work, cpu);
}

} // namespace tricks
