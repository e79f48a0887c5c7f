// A bot for Stichkampf: it is asked questions on stdin and answers on stdout, a JSON object a line.
//
// Your strategy goes into strategy.c. A question holds everything that your seat may know, so
// there is nothing to remember from one question to the next. This is why one process can play 64
// games at once: questions of different games just follow one another.

#include <unistd.h>

#include "referee.h"

int main(void) { return talk(STDIN_FILENO, STDOUT_FILENO) ? 0 : 1; }
