// Your strategy: a function for each kind of decision, which returns one of the options; or an
// option and a note for the replay: return (Choice){card, "to lose the lead"}.

#include "strategy.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The tasks of Was sticht, by how often one fulfils them.
static const char *const EASY_FIRST[] = {"no_red",      "no_blue",   "no_green",      "no_yellow",
                                         "last_trick",  "exactly_2", "fewest_tricks", "exactly_3",
                                         "most_tricks", "exactly_1", "exactly_4",     "no_trick"};

enum { TASKS = sizeof EASY_FIRST / sizeof *EASY_FIRST };

// The place of a task in EASY_FIRST.
static long difficulty(const char *task) {
  long place = 0;
  while (place < TASKS && strcmp(EASY_FIRST[place], task) != 0) place++;
  return place;
}

// The number of a card, whose colour is card[0]; 0 for what is no card.
static long number(const char *card) {
  long found = *card ? strtol(card + 1, NULL, 10) : 0;
  return found < INT_MIN || found > INT_MAX ? 0 : found;
}

// The sum of the numbers of the cards in a pair such as B3+R1, or of a single card.
static long total(const char *pair) {
  const char *plus = strchr(pair, '+');
  return number(pair) + (plus ? number(plus + 1) : 0);
}

// The option for which a key gives least; of equal ones the first.
static const char *lowest(const Strings *options, long key(const char *)) {
  const char *found = options->items[0];
  for (int i = 1; i < options->count; i++) {
    if (key(options->items[i]) < key(found)) found = options->items[i];
  }
  return found;
}

// The option for which a key gives most; of equal ones the first.
static const char *highest(const Strings *options, long key(const char *)) {
  const char *found = options->items[0];
  for (int i = 1; i < options->count; i++) {
    if (key(options->items[i]) > key(found)) found = options->items[i];
  }
  return found;
}

// Special colours cost what they are worth; with Reverse they bring it.
static bool reversed(const Decide *question) { return strstr(question->variant, "reverse"); }

// Sticheln, Stick 'Em: the card, or pair B3+R1, that makes its colour special for you.
// The card counts as won by you, so it is a low one, or with Reverse a high one.
static Choice designate(const Decide *question) {
  return (Choice){.option = (reversed(question) ? highest : lowest)(&question->options, total)};
}

// Whether there is a card of this colour among cards.
static bool has_colour(const Strings *cards, char colour) {
  for (int i = 0; i < cards->count; i++) {
    if (cards->items[i][0] == colour) return true;
  }
  return false;
}

// How many colours there are among cards.
static int count_colours(const Strings *cards) {
  int colours = 0;
  for (int i = 0; i < cards->count; i++) {
    Strings before = {.items = cards->items, .count = i};
    if (!has_colour(&before, cards->items[i][0])) colours++;
  }
  return colours;
}

// All games: the card you play to the trick. A low one seldom does harm.
static Choice play(const Decide *question) {
  const Strings *options = &question->options;
  const char *joining = NULL;
  if (question->view == HAT_TRICK && count_colours(&question->hat_trick.trick) == 2) {
    // A card of the third colour would be a pass and cost 2 points.
    for (int i = 0; i < options->count; i++) {
      const char *card = options->items[i];
      if (!has_colour(&question->hat_trick.trick, card[0])) continue;
      if (joining == NULL || number(card) < number(joining)) joining = card;
    }
  }
  return (Choice){.option = joining ? joining : lowest(options, number)};
}

// The sum of the numbers of the cards that the seat has won in one of these colours.
static long won(const DesignatingView *view, const char *colours) {
  long sum = 0;
  for (int i = 0; i < view->tricks.count; i++) {
    const Trick *trick = &view->tricks.items[i];
    if (trick->winner != view->seat) continue;
    for (int j = 0; j < trick->cards.count; j++) {
      if (strchr(colours, trick->cards.items[j][0])) sum += number(trick->cards.items[j]);
    }
  }
  return sum;
}

// With Delayed: the special colour, or pair B+R, that you name after the last trick.
static Choice delayed(const Decide *question) {
  const char *found = question->options.items[0];
  bool known = question->view == DESIGNATING;
  for (int i = 1; known && i < question->options.count; i++) {
    const char *option = question->options.items[i];
    long more = won(&question->designating, option) - won(&question->designating, found);
    if (reversed(question) ? more > 0 : more < 0) found = option;
  }
  return (Choice){.option = found};
}

// Was sticht: the task token you take before the first round.
static Choice token(const Decide *question) {
  return (Choice){.option = lowest(&question->options, difficulty)};
}

// Was sticht: the card you take from the column.
static Choice pick(const Decide *question) {
  return (Choice){.option = lowest(&question->options, number)};
}

// Was sticht: the task among your tokens that you try in this round.
static Choice task(const Decide *question) {
  return (Choice){.option = lowest(&question->options, difficulty)};
}

// Was sticht: the token you get rid of as a dealer who succeeded.
static Choice discard(const Decide *question) {
  return (Choice){.option = highest(&question->options, difficulty)};
}

static const struct {
  const char *kind;
  Choice (*decide)(const Decide *);
} STRATEGY[] = {
    {"designate", designate}, {"play", play}, {"delayed", delayed}, {"token", token},
    {"pick", pick},           {"task", task}, {"discard", discard},
};

// A game begins. What you want to remember of it, copy, and keep by game->game: one process plays
// many at once.
void start(const Start *game) { (void)game; }

// A game has ended, unless you lost it by a fault.
void result(const Result *game) { (void)game; }

Choice choose(const Decide *question) {
  if (question->options.count == 0) return (Choice){.option = ""};  // the referee never asks that
  for (size_t i = 0; i < sizeof STRATEGY / sizeof *STRATEGY; i++) {
    if (strcmp(STRATEGY[i].kind, question->kind) == 0) return STRATEGY[i].decide(question);
  }
  return (Choice){.option = question->options.items[0]};
}
