// Your strategy.
#ifndef STRATEGY_H
#define STRATEGY_H

#include "messages.h"

// An option, and a note to find beside it in the replay, or NULL; neither will be freed.
typedef struct {
  const char *option;
  const char *note;
} Choice;

// One of the options of a question.
Choice choose(const Decide *question);

// What is called when a game begins, and when it has ended.
void start(const Start *game);
void result(const Result *game);

#endif
