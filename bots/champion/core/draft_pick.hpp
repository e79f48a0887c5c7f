// The draft, searched with what hands will be worth.
#pragma once

#include "draft_hands.hpp"
#include "draft_question.hpp"

namespace draft {

// The draft of a round as the search sees it.
class Drafting {
public:
  Drafting(const Question &question, Chance &chance)
      : question_(question), chance_(chance), seats_(static_cast<int>(question.seats)),
        dealer_(static_cast<int>(question.dealer)), worth_(worths(seats_)) {
    for (int trumps = 0; trumps < kTrumps; ++trumps)
      if (possible(trumps))
        belief_[beliefs_++] = trumps;
    int scores[kSeats];
    scores_of(question, scores);
    int next = (dealer_ + 1) % seats_;
    Values before = prospects(seats_).at(scores, next);
    for (int gainer = 0; gainer < seats_; ++gainer) {
      ++scores[gainer];
      Values after = prospects(seats_).at(scores, next);
      --scores[gainer];
      for (int seat = 0; seat < seats_; ++seat)
        stake_[gainer][seat] = after[seat] - before[seat];
    }
    for (int seat = 0; seat < seats_; ++seat)
      for (int kind = 0; kind < kTasks; ++kind)
        if (question.tokens[seat] >> kind & 1)
          tokens_[seat][held_[seat]++] = kind;
  }

  void search(Work &work, Answer &answer) {
    nodes().clear();
    Picking start;
    for (int seat = 0; seat < seats_; ++seat)
      start.hands[seat] = question_.hands[seat];
    start.rest = question_.column[0];
    start.seat = static_cast<int>(question_.seat);
    int root = node_of(start);
    do
      visit(root, start);
    while (!work.spent(kCost));
    report(nodes()[root], answer);
  }

private:
  static constexpr int kCost = 60; // of a visit, in cards played
  static constexpr float kCuriosity = 0.15f;

  struct Picking {
    Cards hands[kSeats] = {};
    Cards rest = 0;
    int column = 0; // of those not yet complete
    int seat = 0;
    bool over = false;
  };

  // Whether the hints so far, or the dealer's knowledge, allow these trumps.
  bool possible(int trumps) const {
    if (question_.number >= 0)
      return trumps == trumps_index(question_.colour, question_.number);
    const Ranking &ranks = ranking(trumps);
    for (int column = 0; column < question_.hints; ++column) {
      const int64_t *hint = question_.hint[column];
      int best = 0;
      for (int place = 1; place < 4; ++place)
        if (ranks.beats(hint[1 + place], hint[1 + best]))
          best = place;
      int64_t winner = best < seats_ ? (hint[0] + best) % seats_ : seats_;
      if (winner != hint[5])
        return false;
    }
    return true;
  }

  void pick(Picking &state, int card) const {
    state.hands[state.seat] |= bit(card);
    state.rest &= ~bit(card);
    state.seat = (state.seat + 1) % seats_;
    if (size(state.rest) > 4 - seats_)
      return;
    if (++state.column == question_.columns) {
      state.over = true;
      return;
    }
    state.rest = question_.column[state.column];
    int done = kTricks - static_cast<int>(question_.columns) + state.column;
    state.seat = (dealer_ + 1 + done) % seats_;
  }

  int node_of(const Picking &state) const {
    std::vector<Node> &pool = nodes();
    if (pool.size() >= kNodes)
      return -1;
    pool.emplace_back();
    Node &node = pool.back();
    node.visits = 0;
    node.seat = static_cast<int8_t>(state.seat);
    node.count = 0;
    for (Cards rest = state.rest; rest; rest &= rest - 1)
      node.branches[node.count++] = {-1, 0, 0, static_cast<int8_t>(lowest(rest))};
    return static_cast<int>(pool.size()) - 1;
  }

  void visit(int root, Picking state) {
    std::vector<Node> &pool = nodes();
    int path[kCards], taken[kCards], depth = 0, node = root;
    int trumps = belief_[chance_.below(beliefs_)];
    while (node >= 0) {
      int at = promising(pool[node], kCuriosity);
      path[depth] = node;
      taken[depth++] = at;
      pick(state, pool[node].branches[at].choice);
      int next = pool[node].branches[at].node;
      if (next < 0 && !state.over && pool[node].branches[at].visits > 0)
        pool[node].branches[at].node = node_of(state);
      node = next;
    }
    const Worth::View &view = worth_.view(trumps);
    complete(state, view);
    Values value = judge(state, view);
    for (int step = 0; step < depth; ++step) {
      Node &seen = pool[path[step]];
      Branch &branch = seen.branches[taken[step]];
      ++seen.visits;
      ++branch.visits;
      branch.sum += value[seen.seat];
    }
  }

  // A token that a seat may be after.
  int target(const Picking &state, const Worth::View &view, int seat) {
    int owner = seat;
    if (seat == dealer_)
      owner = (dealer_ + 1 + chance_.below(seats_ - 1)) % seats_;
    int count = held_[owner];
    if (seat == dealer_ || chance_.below(4) == 0)
      return tokens_[owner][chance_.below(count)];
    float tricks = worth_.projected(view, state.hands[seat]), best = -1e9f;
    int found = 0;
    for (int at = 0; at < count; ++at) {
      int task = tokens_[owner][at];
      float logit = worth_.linear(view, state.hands[seat], task) +
                    (kTricks - size(state.hands[seat])) * view.mean[task] +
                    worth_.square(task) * tricks * tricks;
      if (logit > best) {
        best = logit;
        found = task;
      }
    }
    return found;
  }

  // The rest of the draft: everybody is after a token.
  void complete(Picking &state, const Worth::View &view) {
    if (state.over)
      return;
    int targets[kSeats];
    float tricks[kSeats];
    for (int seat = 0; seat < seats_; ++seat) {
      targets[seat] = target(state, view, seat);
      tricks[seat] = worth_.projected(view, state.hands[seat]);
    }
    while (!state.over) {
      int seat = state.seat, found = lowest(state.rest);
      if (chance_.below(6) == 0) {
        found = chance_.of(state.rest);
      } else {
        float best = -1e9f;
        for (Cards rest = state.rest; rest; rest &= rest - 1) {
          float gain = worth_.step(view, targets[seat], lowest(rest), tricks[seat]);
          if (gain > best) {
            best = gain;
            found = lowest(rest);
          }
        }
      }
      tricks[seat] += view.tricks[found];
      pick(state, found);
    }
  }

  // What the hands are worth to everybody, with the task that suits each best.
  Values judge(const Picking &state, const Worth::View &view) const {
    float tricks[kSeats], chances[kSeats] = {}, dealer_fails = 1;
    for (int seat = 0; seat < seats_; ++seat)
      tricks[seat] = worth_.tricks(view, state.hands[seat]);
    for (int seat = 0; seat < seats_; ++seat) {
      if (seat == dealer_)
        continue;
      float best = -1e9f;
      int task = 0;
      for (int at = 0; at < held_[seat]; ++at) {
        float logit = worth_.logit(view, state.hands, tricks, tokens_[seat][at], seat, dealer_);
        if (logit > best) {
          best = logit;
          task = tokens_[seat][at];
        }
      }
      chances[seat] = sigmoid(best);
      float dealers = worth_.logit(view, state.hands, tricks, task, dealer_, dealer_);
      dealer_fails *= 1 - sigmoid(worth_.dealer_logit(dealers, best));
    }
    chances[dealer_] = 1 - dealer_fails;
    Values value{};
    for (int gainer = 0; gainer < seats_; ++gainer)
      for (int seat = 0; seat < seats_; ++seat)
        value[seat] += chances[gainer] * stake_[gainer][seat];
    return value;
  }

  const Question &question_;
  Chance &chance_;
  int seats_, dealer_;
  const Worth &worth_;
  int belief_[kTrumps] = {}, beliefs_ = 0;
  float stake_[kSeats][kSeats] = {};
  int tokens_[kSeats][kTasks] = {}, held_[kSeats] = {};
};

} // namespace draft
