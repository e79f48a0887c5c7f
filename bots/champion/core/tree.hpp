// What was learnt about the cards after an option, over all deals: one tree for each option.
#pragma once

#include "policy.hpp"

#include <cstddef>
#include <vector>

namespace tricks {

class Tree {
public:
  Tree(const Rules &rules, std::size_t options) : rules_(rules), nodes_(options) {}

  // Plays on from an option with what is known by now, one card into the unknown.
  template <typename Looking> void descend(int option, Table &table, Looking look) {
    path_.clear();
    int node = option;
    for (int depth = 0; depth < kDepth && !table.over(rules_); ++depth) {
      int edge = select(node, look());
      path_.push_back({node, edge, table.turn(rules_)});
      lay(rules_, table, nodes_[node].edges[edge].card);
      int next = nodes_[node].edges[edge].node;
      if (next < 0) {
        if (nodes_[node].edges[edge].visits >= kGrows) {
          nodes_[node].edges[edge].node = static_cast<int>(nodes_.size());
          nodes_.emplace_back();
        }
        return;
      }
      node = next;
    }
  }

  // What came of it for each seat.
  void learn(const float *scores);

private:
  static constexpr int kDepth = 8;
  static constexpr int kGrows = 4;

  struct Edge {
    Card card;
    int visits, node;
    float sum;
  };
  struct Node {
    std::vector<Edge> edges;
    int visits = 0;
    float sum = 0;
  };
  struct Step {
    int node, edge, seat;
  };

  // The edge of a card that the seat holds in this deal: good so far, or not tried enough.
  int select(int node, const Look &look);

  const Rules &rules_;
  std::vector<Node> nodes_;
  std::vector<Step> path_;
};

} // namespace tricks
