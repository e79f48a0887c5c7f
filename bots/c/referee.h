// The talking: lines from the referee, answers to it.
#ifndef REFEREE_H
#define REFEREE_H

#include <stdbool.h>
#include <stddef.h>

// Answers all questions there are, waits for more, and returns when the referee hangs up; false if
// it could not be written to.
bool talk(int from, int to);

// The answer to a line, without newline, to be freed; NULL if it wants none or is not known.
char *hear(const char *line, size_t length);

#endif
