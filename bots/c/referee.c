#include "referee.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "messages.h"
#include "strategy.h"

// How many games it can play at once.
enum { GAMES = 64 };

// Seconds that answers are kept back while more questions lie ready.
static const double PATIENCE = 0.01;

// How much is read at once, in bytes.
enum { PIECE = 1 << 16 };

// A text that grows.
typedef struct {
  char *at;
  size_t length;
  size_t capacity;
} Text;

// Makes room for more bytes at the end of a text.
static void make_room(Text *text, size_t more) {
  if (text->length + more <= text->capacity) return;
  text->capacity = 2 * (text->length + more);
  text->at = realloc(text->at, text->capacity);
  if (text->at == NULL) {
    fputs("There is no memory left.\n", stderr);
    exit(1);
  }
}

static void append(Text *text, const char *bytes, size_t length) {
  make_room(text, length);
  memcpy(text->at + text->length, bytes, length);
  text->length += length;
}

// Reads what there is to the end of a text; false at the end of everything.
static bool receive(int from, Text *text) {
  ssize_t count;
  make_room(text, PIECE);
  do {
    count = read(from, text->at + text->length, PIECE);
  } while (count < 0 && errno == EINTR);
  if (count > 0) text->length += (size_t)count;
  return count > 0;
}

// Writes a text and empties it.
static bool deliver(int to, Text *text) {
  size_t sent = 0;
  while (sent < text->length) {
    ssize_t count = write(to, text->at + sent, text->length - sent);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) sent += (size_t)count;
  }
  text->length = 0;
  return true;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Answers the whole lines of a text, and leaves in it what follows them. What lies before `seen`
// has no newline.
static bool answer_lines(Text *text, size_t seen, Text *answers, int to) {
  size_t begin = 0;
  char *end;
  double begun = now();
  while ((end = memchr(text->at + seen, '\n', text->length - seen)) != NULL) {
    seen = (size_t)(end - text->at);
    char *answer = hear(text->at + begin, seen - begin);
    if (answer != NULL) {
      append(answers, answer, strlen(answer));
      append(answers, "\n", 1);
      free(answer);
    }
    begin = ++seen;
    // One write for many answers is fast. But the clock runs until an answer is sent, so none is
    // kept back while you think about the next question.
    if (now() - begun > PATIENCE) {
      if (!deliver(to, answers)) return false;
      begun = now();
    }
  }
  text->length -= begin;
  memmove(text->at, text->at + begin, text->length);
  return deliver(to, answers);
}

bool talk(int from, int to) {
  Text text = {0};
  Text answers = {0};
  bool well = true;
  size_t seen = 0;
  while (well && receive(from, &text)) {
    well = answer_lines(&text, seen, &answers, to);
    seen = text.length;
  }
  free(text.at);
  free(answers.at);
  return well;
}

char *hear(const char *line, size_t length) {
  Message *message = message_read(line, length);
  char *answer = NULL;
  Choice choice;
  if (message == NULL) {
    fputs("A line was not understood: it is no JSON object.\n", stderr);
    return NULL;
  }
  switch (message->type) {
    case HELLO:
      answer = ready_line(&(Ready){.games = GAMES});
      break;
    case START:
      start(&message->start);
      break;
    case DECIDE:
      choice = choose(&message->decide);
      answer = choose_line(&(Choose){message->decide.id, choice.option, choice.note});
      break;
    case RESULT:
      result(&message->result);
      break;
    case FAULT:
      fprintf(stderr, "The referee says: %s\n", message->fault.text);
      break;
    case UNKNOWN:
      break;
  }
  message_free(message);
  return answer;
}
