#include "search.hpp"
#include "tree.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>

namespace tricks {

namespace {

constexpr size_t kOptions = 8;  // that are looked at
constexpr double kMix = 0.3;    // what a point of an opinion counts beside a point of the playouts
constexpr int kDeals = 20000;   // looked at before the worse half of them is dropped, at most
constexpr float kJitter = 1.0F; // points by which cards are misjudged in a playout

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Search {
public:
  Search(const Position &position, const double *opinion, Chance &chance)
      : position_(position), opinion_(opinion), rules_(position.rules), chance_(chance),
        policy_(position.rules), tree_(position.rules, position.options.size()) {}

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
    std::vector<double> sums(alive.size());
    int deals = 0;
    auto better = [&](int a, int b) { return seems(sums[a], a, deals) > seems(sums[b], b, deals); };
    std::stable_sort(alive.begin(), alive.end(), better);
    alive.resize(std::min(alive.size(), kOptions));
    int phases = 0;
    for (size_t n = alive.size(); n > 1; n = (n + 1) / 2)
      ++phases;
    double until = cpu_seconds() + cpu;
    for (int phase = 1; phase <= phases; ++phase) {
      while (deals == 0 || (work_ < work * phase / phases && deals < kDeals * phase)) {
        Table table = position_.deal(policy_, chance_);
        uint64_t luck = chance_.next();
        for (int option : alive)
          sums[option] += outcome(table, option, Chance(luck));
        ++deals;
        if (cpu_seconds() > until)
          phases = 0;
        if (phases == 0)
          break;
      }
      std::stable_sort(alive.begin(), alive.end(), better);
      alive.resize((alive.size() + 1) / 2);
    }
    return {alive[0], sums[alive[0]] / deals, deals};
  }

private:
  double seems(double sum, int option, int deals) const {
    return sum / std::max(deals, 1) + kMix * opinion_[option];
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
    policy_.aim(table);
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

  Look look(Table &table) {
    work_ += 2 * table.left + 10;
    if (table.laid == 0)
      policy_.aim(table);
    return policy_.look(table);
  }

  const Position &position_;
  const double *opinion_;
  const Rules &rules_;
  Chance &chance_;
  Policy policy_;
  Tree tree_;
  double work_ = 0;
};

} // namespace

Found search(const Position &position, const double *opinion, Chance &chance, double work,
             double cpu) {
  Search search(position, opinion, chance);
  return position.kind == Kind::delayed ? search.named() : search.halving(work, cpu);
}

} // namespace tricks
