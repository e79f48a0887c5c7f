// Was sticht: its rules, and the choice of cards, tasks and picks.
#include "draft_pick.hpp"

namespace draft {

Ranking::Ranking(int trump_colour, int trump_number)
    : colour(trump_colour), number(trump_number), members{}, numbers(0) {
  for (int card = 0; card < kCards; ++card) {
    bool by_colour = colour_of(card) == colour, by_number = number_of(card) == number;
    suit[card] = by_colour || by_number ? kTrumpSuit : colour_of(card);
    strength[card] = number_of(card);
    if (by_colour)
      strength[card] += 100;
    if (by_number) {
      strength[card] = by_colour ? 300 : 200;
      numbers |= bit(card);
    }
    members[suit[card]] |= bit(card);
  }
}

const Ranking &ranking(int trumps) {
  static const std::vector<Ranking> all = [] {
    std::vector<Ranking> made;
    for (int index = 0; index < kTrumps; ++index)
      made.emplace_back(index / 10, index % 10);
    return made;
  }();
  return all[trumps];
}

void Table::play(const Ranking &ranks, int card) {
  hand[seat] &= ~bit(card);
  trick |= bit(card);
  shown |= 1 << colour_of(card);
  if (played == 0)
    led = card;
  if (played == 0 || ranks.beats(card, best)) {
    best = card;
    winner = seat;
  }
  if (++played < seats) {
    seat = seat + 1 == seats ? 0 : seat + 1;
    return;
  }
  ++won[winner];
  colours[winner] |= shown;
  last = seat = winner;
  played = 0;
  shown = 0;
  trick = 0;
}

bool fulfils(const Table &table, int task, int seat) {
  if (wanted(task) >= 0)
    return table.won[seat] == wanted(task);
  if (forbidden(task) != kNoColour)
    return !(table.colours[seat] >> forbidden(task) & 1);
  if (task == kLast)
    return table.last == seat;
  for (int other = 0; other < table.seats; ++other)
    if (other != seat && (task == kMost ? table.won[other] >= table.won[seat]
                                        : table.won[other] <= table.won[seat]))
      return false;
  return true;
}

unsigned discards(const Table &table, const int8_t *tasks, int dealer) {
  unsigned gone = 0;
  for (int seat = 0; seat < table.seats; ++seat) {
    if (tasks[seat] < 0)
      continue;
    if (fulfils(table, tasks[seat], seat))
      gone |= 1u << seat;
    else if (fulfils(table, tasks[seat], dealer))
      gone |= 1u << dealer;
  }
  return gone;
}

namespace {

constexpr int kSolvable = 21;  // cards, where looking through to the end is tried
constexpr int kEnough = 50000; // cards, where visits end in looking through the last tricks
constexpr int kDoubts = 8000;  // cards played to choose among options that are equally good

// Looks through to the end of the round, if there is time; the best options get a visit.
bool solve(const Table &table, const Goal &goal, Work &work, Answer &answer) {
  Work half = work.half();
  Endgame endgame(goal, half);
  Cards options = distinct(table, *goal.ranks, table.legal(*goal.ranks));
  double best = kNothing;
  for (Cards rest = options; rest; rest &= rest - 1) {
    Table next = table;
    next.play(*goal.ranks, lowest(rest));
    answer.value[lowest(rest)] = endgame.value(next)[table.seat];
    best = std::max(best, answer.value[lowest(rest)]);
  }
  if (endgame.failed())
    return false;
  for (Cards rest = options; rest; rest &= rest - 1)
    answer.visits[lowest(rest)] = answer.value[lowest(rest)] > best - 1e-4;
  return true;
}

void play(const Question &question, Work &work, Chance &chance, Answer &answer) {
  const Ranking &ranks = ranking(trumps_index(question.colour, question.number));
  Table table = table_of(question, ranks);
  Goal goal = goal_of(question, ranks);
  int scores[kSeats];
  scores_of(question, scores);
  goal.set(scores);
  int cards = 0;
  for (int seat = 0; seat < table.seats; ++seat)
    cards += size(table.hand[seat]);
  bool solved = cards <= kSolvable && solve(table, goal, work, answer);
  nodes().clear();
  int root = make_node(table, ranks, chance);
  if (solved)
    work.limit(kDoubts);
  Endgame endgame(goal, work);
  Endgame *help = solved || work.left() < kEnough ? nullptr : &endgame;
  Values value;
  while (!work.spent(visit(root, table, goal, chance, value, help))) {
  }
  Answer found{};
  report(nodes()[root], found);
  if (!solved)
    answer = found;
  for (int card = 0; solved && card < kCards; ++card)
    answer.visits[card] *= found.visits[card];
}

// All choose their tasks at once: each seat prefers what did well against what the others
// preferred, and every combination has a tree of its own.
void task(const Question &question, Work &work, Chance &chance, Answer &answer) {
  const Ranking &ranks = ranking(trumps_index(question.colour, question.number));
  Table table = table_of(question, ranks);
  Goal goal = goal_of(question, ranks);
  int scores[kSeats];
  scores_of(question, scores);
  nodes().clear();
  std::vector<int> roots(6 * 6 * 6 * 6, -1);
  Node menus[kSeats] = {};
  for (int seat = 0; seat < goal.seats; ++seat)
    for (int kind = 0; kind < kTasks; ++kind)
      if (seat != goal.dealer && (question.tokens[seat] >> kind & 1))
        menus[seat].branches[menus[seat].count++] = {-1, 0, 0, static_cast<int8_t>(kind)};
  int cost = 0;
  while (!work.spent(cost)) {
    int chosen[kSeats] = {}, profile = 0;
    for (int seat = 0; seat < goal.seats; ++seat) {
      goal.tasks[seat] = -1;
      if (seat == goal.dealer)
        continue;
      chosen[seat] = promising(menus[seat], kCuriosity);
      if (chance.below(8) == 0)
        chosen[seat] = chance.below(menus[seat].count);
      goal.tasks[seat] = menus[seat].branches[chosen[seat]].choice;
      profile = profile * 6 + chosen[seat];
    }
    goal.set(scores);
    if (roots[profile] < 0)
      roots[profile] = make_node(table, ranks, chance);
    Values value;
    cost = 10 + visit(roots[profile], table, goal, chance, value);
    for (int seat = 0; seat < goal.seats; ++seat) {
      if (seat == goal.dealer)
        continue;
      Branch &branch = menus[seat].branches[chosen[seat]];
      ++menus[seat].visits;
      ++branch.visits;
      branch.sum += value[seat];
    }
  }
  report(menus[question.seat], answer);
}

} // namespace
} // namespace draft

extern "C" {

// Works out beforehand what is the same in all games.
void draft_ready() {
  for (int seats = 3; seats <= 4; ++seats) {
    draft::prospects(seats);
    draft::worths(seats);
  }
  draft::Endgame::prepare();
}

// How good the options are and how often each was looked at, by the number of the card or task.
void draft_choose(const int64_t *numbers, uint64_t seed, int64_t cards, double seconds,
                  double *value, int64_t *visits) {
  using namespace draft;
  const Question &question = *reinterpret_cast<const Question *>(numbers);
  Chance chance(seed);
  Work work(cards, seconds);
  Answer answer{};
  if (question.kind == kPlay)
    play(question, work, chance, answer);
  else if (question.kind == kTask)
    task(question, work, chance, answer);
  else
    Drafting(question, chance).search(work, answer);
  std::copy(answer.value, answer.value + kCards, value);
  std::copy(answer.visits, answer.visits + kCards, visits);
}

// For tests: a round from its first card on; who wins each trick (-1: by an illegal card), and who
// discards a token.
void draft_replay(const int64_t *numbers, const int64_t *cards, int count, int64_t *winners,
                  int64_t *gone) {
  using namespace draft;
  const Question &question = *reinterpret_cast<const Question *>(numbers);
  const Ranking &ranks = ranking(trumps_index(question.colour, question.number));
  Table table = table_of(question, ranks);
  Goal goal = goal_of(question, ranks);
  for (int at = 0; at < count; ++at) {
    bool legal = table.legal(ranks) & bit(static_cast<int>(cards[at]));
    table.play(ranks, static_cast<int>(cards[at]));
    if (table.played == 0)
      *winners++ = legal ? table.last : -1;
  }
  *gone = discards(table, goal.tasks, goal.dealer);
}
}
