// Your strategy.
#ifndef STRATEGY_H
#define STRATEGY_H

#include "messages.h"

// One of the options of a question.
const char *choose(const Decide *question);

#endif
