#include "tree.hpp"

#include <algorithm>
#include <cmath>

namespace tricks {

namespace {

constexpr float kTrust = 1.0F;   // how far points at a glance are believed, against each other
constexpr float kCurious = 2.0F; // points that an untried card may be better than it seems

} // namespace

int Tree::select(int node, const Look &look) {
  Node &here = nodes_[node];
  float prior[32], total = 0, best = look.points[0];
  for (int i = 1; i < look.count; ++i)
    best = std::max(best, look.points[i]);
  for (int i = 0; i < look.count; ++i)
    total += prior[i] = std::exp((look.points[i] - best) * kTrust);
  float mean = here.visits ? here.sum / static_cast<float>(here.visits) : 0;
  float urge = kCurious * std::sqrt(static_cast<float>(here.visits + 1)) / total, most = -1e9F;
  int chosen = -1, chosen_at = 0;
  for (int i = 0; i < look.count; ++i) {
    int edge = -1;
    for (size_t e = 0; e < here.edges.size(); ++e)
      if (here.edges[e].card == look.card[i]) {
        edge = static_cast<int>(e);
        break;
      }
    int visits = edge < 0 ? 0 : here.edges[edge].visits;
    // As if the mean had come out a few times already: single playouts say little.
    float value =
        edge < 0 ? mean : (here.edges[edge].sum + 4 * mean) / static_cast<float>(visits + 4);
    value += urge * prior[i] / static_cast<float>(1 + visits);
    if (value > most) {
      most = value;
      chosen = edge;
      chosen_at = i;
    }
  }
  if (chosen < 0) {
    chosen = static_cast<int>(here.edges.size());
    here.edges.push_back({look.card[chosen_at], 0, -1, 0});
  }
  return chosen;
}

void Tree::learn(const float *scores) {
  for (const Step &step : path_) {
    Node &node = nodes_[step.node];
    ++node.visits;
    node.sum += scores[step.seat];
    ++node.edges[step.edge].visits;
    node.edges[step.edge].sum += scores[step.seat];
  }
}

} // namespace tricks
