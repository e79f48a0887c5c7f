// Your strategy: a function for each kind of decision, which returns one of the options; or an
// option and a note for the replay: return {card, "to lose the lead"}.

#include "strategy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <variant>

namespace {

// The tasks of Was sticht, by how often one fulfils them.
constexpr std::array<std::string_view, 12> easy_first{
    "no_red",        "no_blue",   "no_green",    "no_yellow", "last_trick", "exactly_2",
    "fewest_tricks", "exactly_3", "most_tricks", "exactly_1", "exactly_4",  "no_trick"};

// The place of a task in easy_first.
long difficulty(std::string_view task) {
  return std::find(easy_first.begin(), easy_first.end(), task) - easy_first.begin();
}

// The colour of a card: its first letter.
char colour(std::string_view card) { return card.empty() ? '\0' : card[0]; }

// The number of a card, or 0 for what is no card.
long number(std::string_view card) {
  int found = 0;
  if (!card.empty()) std::from_chars(card.data() + 1, card.data() + card.size(), found);
  return found;
}

// The sum of the numbers of the cards in a pair such as B3+R1, or of a single card.
long total(std::string_view pair) {
  const size_t plus = pair.find('+');
  if (plus == pair.npos) return number(pair);
  return number(pair.substr(0, plus)) + total(pair.substr(plus + 1));
}

// The option for which a key gives least; of equal ones the first.
template <typename Key>
std::string lowest(const Strings& options, Key key) {
  return *std::min_element(options.begin(), options.end(),
                           [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

// The option for which a key gives most; of equal ones the first.
template <typename Key>
std::string highest(const Strings& options, Key key) {
  return lowest(options, [&](const auto& option) { return -key(option); });
}

// Reckons with special colours: they cost what they are worth; with Reverse they bring it.
template <typename Worth>
std::string best(const Decide& question, Worth worth) {
  const bool reverse = question.variant.find("reverse") != question.variant.npos;
  return reverse ? highest(question.options, worth) : lowest(question.options, worth);
}

// Sticheln, Stick 'Em: the card, or pair B3+R1, that makes its colour special for you.
// The card counts as won by you, so it is a low one, or with Reverse a high one.
Choice designate(const Decide& question) { return best(question, total); }

// All games: the card you play to the trick. A low one seldom does harm.
Choice play(const Decide& question) {
  if (const auto* view = std::get_if<HatTrickView>(&question.view)) {
    std::set<char> colours;
    for (const auto& card : view->trick) colours.insert(colour(card));
    Strings joining;
    for (const auto& card : question.options) {
      if (colours.count(colour(card))) joining.push_back(card);
    }
    // A card of the third colour would be a pass and cost 2 points.
    if (colours.size() == 2 && !joining.empty()) return lowest(joining, number);
  }
  return lowest(question.options, number);
}

// With Delayed: the special colour, or pair B+R, that you name after the last trick.
Choice delayed(const Decide& question) {
  std::map<char, long> won;
  if (const auto* view = std::get_if<DesignatingView>(&question.view)) {
    for (const auto& trick : view->tricks) {
      if (trick.winner != view->seat) continue;
      for (const auto& card : trick.cards) won[colour(card)] += number(card);
    }
  }
  return best(question, [&](const std::string& option) {
    long sum = 0;
    for (const char letter : option) sum += won[letter];
    return sum;
  });
}

// Was sticht: the task token you take before the first round.
Choice token(const Decide& question) { return lowest(question.options, difficulty); }

// Was sticht: the card you take from the column.
Choice pick(const Decide& question) { return lowest(question.options, number); }

// Was sticht: the task among your tokens that you try in this round.
Choice task(const Decide& question) { return lowest(question.options, difficulty); }

// Was sticht: the token you get rid of as a dealer who succeeded.
Choice discard(const Decide& question) { return highest(question.options, difficulty); }

}  // namespace

// A game begins. What you want to remember of it, keep by its game: one process plays many at once.
void start(const Start& /*start*/) {}

// A game has ended, unless you lost it by a fault.
void result(const Result& /*result*/) {}

Choice choose(const Decide& question) {
  if (question.options.empty()) return {""};  // the referee never asks that
  if (question.kind == "designate") return designate(question);
  if (question.kind == "play") return play(question);
  if (question.kind == "delayed") return delayed(question);
  if (question.kind == "token") return token(question);
  if (question.kind == "pick") return pick(question);
  if (question.kind == "task") return task(question);
  if (question.kind == "discard") return discard(question);
  return question.options.front();
}
