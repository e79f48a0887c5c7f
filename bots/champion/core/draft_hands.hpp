// How well hands suit tasks.
#pragma once

#include "draft.hpp"
#include "draft_fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace draft {

inline int card_class(const Ranking &ranks, int card) {
  bool by_colour = colour_of(card) == ranks.colour;
  if (number_of(card) == ranks.number)
    return by_colour ? 0 : 1;
  return (by_colour ? 1 : 10) + number_of(card);
}

// What the fitted numbers say of hands, made ready for all trumps.
class Worth {
public:
  explicit Worth(int seats) : seats_(seats), fit_(kFits[seats - 3]), views_(kTrumps) {
    for (int trumps = 0; trumps < kTrumps; ++trumps)
      prepare(views_[trumps], ranking(trumps));
  }

  struct View {
    float tricks[kCards];
    float gain[kTasks][kCards]; // what a card does for a task
    float mean[kTasks];
    float bias[kTasks];
  };

  const View &view(int trumps) const { return views_[trumps]; }

  float tricks(const View &view, Cards hand) const {
    float sum = fit_.tricks[kClasses];
    for (; hand; hand &= hand - 1)
      sum += view.tricks[lowest(hand)];
    return sum;
  }

  // Tricks expected of a full hand when only some cards are known.
  float projected(const View &view, Cards hand) const {
    return tricks(view, hand) +
           (kTricks - size(hand)) * (static_cast<float>(kTricks) / seats_ - fit_.tricks[kClasses]) /
               kTricks;
  }

  float linear(const View &view, Cards hand, int task) const {
    float sum = view.bias[task];
    for (; hand; hand &= hand - 1)
      sum += view.gain[task][lowest(hand)];
    return sum;
  }

  // What a card more does for a hand that wants to fulfil a task.
  float step(const View &view, int task, int card, float projected) const {
    float change = view.tricks[card] - (static_cast<float>(kTricks) / seats_ -
                                        fit_.tricks[kClasses]) / kTricks;
    return view.gain[task][card] + square(task) * change * (2 * projected + change);
  }

  float square(int task) const { return weights(task).context.square; }

  // How likely a seat fulfils a task, as a logit.
  float logit(const View &view, const Cards *hands, const float *tricks, int task, int seat,
              int dealer) const {
    const Context &fitted = weights(task).context;
    float most = -10, fewest = 20;
    for (int other = 0; other < seats_; ++other) {
      if (other == seat)
        continue;
      most = std::max(most, tricks[other]);
      fewest = std::min(fewest, tricks[other]);
    }
    int place = (seat - dealer - 1 + seats_) % seats_;
    float sum = linear(view, hands[seat], task) + fitted.square * tricks[seat] * tricks[seat] +
                fitted.most * most + fitted.fewest * fewest;
    if (place == 0)
      sum += fitted.first;
    if (place == seats_ - 2)
      sum += fitted.last;
    return sum;
  }

  float dealer_logit(float dealers, float owners) const {
    return fit_.dealer[0] + fit_.dealer[1] * dealers + fit_.dealer[2] * owners;
  }

private:
  const Weights &weights(int task) const {
    if (forbidden(task) != kNoColour)
      return fit_.tasks[8];
    return fit_.tasks[task == kNoTrick ? 7 : task];
  }

  void prepare(View &view, const Ranking &ranks) const {
    for (int task = 0; task < kTasks; ++task) {
      const Weights &fitted = weights(task);
      const Context &context = fitted.context;
      bool coloured = ranks.colour != kNoColour, numbered = ranks.number > 0;
      view.bias[task] = context.always + coloured * context.coloured +
                        numbered * context.numbered + (coloured && numbered) * context.both;
      view.mean[task] = 0;
      for (int card = 0; card < kCards; ++card) {
        int kind = card_class(ranks, card);
        view.tricks[card] = fit_.tricks[kind];
        bool bad = colour_of(card) == forbidden(task);
        view.gain[task][card] = bad ? fitted.forbidden[kind] : fitted.cards[kind];
        view.mean[task] += view.gain[task][card] / kCards;
      }
    }
  }

  int seats_;
  const Fit &fit_;
  std::vector<View> views_;
};

inline const Worth &worths(int seats) {
  static const Worth three(3), four(4);
  return seats == 3 ? three : four;
}

inline float sigmoid(float logit) { return 1 / (1 + std::exp(-logit)); }

} // namespace draft
