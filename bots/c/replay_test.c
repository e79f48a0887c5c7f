// The bot answers the games in transcripts/ as it would answer a referee.

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "messages.h"
#include "referee.h"

static int failures = 0;

static void check(bool right, const char *what) {
  if (right) return;
  fprintf(stderr, "Failed: %s\n", what);
  failures++;
}

static const char *text_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text ? text : "";
}

// A ready is for one game at least.
static void check_ready(const char *answer, const char *line) {
  cJSON *ready = cJSON_Parse(answer ? answer : "{}");
  const cJSON *games = cJSON_GetObjectItemCaseSensitive(ready, "games");
  check(strcmp(text_of(ready, "type"), "ready") == 0, line);
  check(games == NULL || games->valuedouble >= 1, line);
  cJSON_Delete(ready);
}

// A choose has the id of its question and one of the options.
static void check_choose(const cJSON *question, const char *answer, const char *line) {
  cJSON *choose = cJSON_Parse(answer ? answer : "{}");
  const cJSON *options = cJSON_GetObjectItemCaseSensitive(question, "options");
  const cJSON *option;
  int found = 0;
  cJSON_ArrayForEach(option, options) {
    if (strcmp(option->valuestring, text_of(choose, "choice")) == 0) found++;
  }
  check(found == 1, line);
  check(strcmp(text_of(choose, "type"), "choose") == 0, line);
  check(cJSON_Compare(cJSON_GetObjectItemCaseSensitive(choose, "id"),
                      cJSON_GetObjectItemCaseSensitive(question, "id"), true),
        line);
  cJSON_Delete(choose);
}

// Questions are answered, and nothing else is.
static void check_answer(const cJSON *message, const char *line) {
  char *answer = hear(line, strlen(line));
  if (strcmp(text_of(message, "type"), "hello") == 0) {
    check_ready(answer, line);
  } else if (strcmp(text_of(message, "type"), "decide") == 0) {
    check_choose(message, answer, line);
  } else {
    check(answer == NULL, line);
  }
  free(answer);
}

static void check_view(const Decide *question, int seat, const char *line) {
  switch (question->view) {
    case DESIGNATING:
      check(question->designating.seat == seat, line);
      check(strcmp(question->designating.phase, question->kind) == 0, line);
      break;
    case HAT_TRICK:
      check(question->hat_trick.seat == seat, line);
      check(strcmp(question->hat_trick.phase, question->kind) == 0, line);
      break;
    case DRAFT:
      check(question->draft.seat == seat, line);
      check(strcmp(question->draft.phase, question->kind) == 0, line);
      break;
    case NO_VIEW:
      check(false, line);
  }
}

// Messages are read into their types, views too. Seats are by game, of which there are few.
static void check_types(const char *line, int seats[16]) {
  Message *message = message_read(line, strlen(line));
  check(message->type != UNKNOWN, line);
  if (message->type == START) seats[message->start.game % 16] = message->start.seat;
  if (message->type == DECIDE) {
    check_view(&message->decide, seats[message->decide.game % 16], line);
  }
  message_free(message);
}

static void replay(const char *path) {
  FILE *file = fopen(path, "r");
  char *entry = NULL;
  size_t capacity = 0;
  int seats[16] = {0};
  int heard = 0;
  while (file && getline(&entry, &capacity, file) > 0) {
    cJSON *json = cJSON_Parse(entry);
    if (strcmp(text_of(json, "to"), "bot") == 0) {
      const cJSON *message = cJSON_GetObjectItemCaseSensitive(json, "message");
      char *line = cJSON_PrintUnformatted(message);
      check_answer(message, line);
      check_types(line, seats);
      free(line);
      heard++;
    }
    cJSON_Delete(json);
  }
  check(heard > 0, path);
  free(entry);
  if (file) fclose(file);
}

// A conversation is lines, however they are spelt; the last one is cut off.
static void converse(void) {
  const char *heard =
      "{\"later\":[],\"games\":64.0,\"limits\":null,\"type\":\"hello\"}\n"
      "nonsense\n"
      "{\"options\":[\"\\u00520\",\"B1\"],\"kind\":\"new\",\"id\":1000000000000000.0,"
      "\"type\":\"decide\"}\n"
      "{\"type\":\"news\",\"view\":3}\n"
      "{\"type\":\"he";
  cJSON *question = cJSON_Parse("{\"options\":[\"R0\",\"B1\"],\"id\":1000000000000000}");
  char told[1000] = "";
  int to_bot[2];
  int from_bot[2];
  check(pipe(to_bot) == 0 && pipe(from_bot) == 0, "there are no pipes");
  check(write(to_bot[1], heard, strlen(heard)) == (ssize_t)strlen(heard), heard);
  close(to_bot[1]);
  check(talk(to_bot[0], from_bot[1]), "it cannot write");
  close(from_bot[1]);
  check(read(from_bot[0], told, sizeof told - 1) > 0, "it said nothing");
  char *choose = strchr(told, '\n');
  check(choose && strchr(choose + 1, '\n') == told + strlen(told) - 1, told);  // two lines
  if (choose) {
    *choose++ = '\0';
    check_ready(told, told);
    check_choose(question, choose, choose);
    check(strstr(choose, "1000000000000000") != NULL, choose);  // and not 1e+15
  }
  cJSON_Delete(question);
  close(to_bot[0]);
  close(from_bot[0]);
}

int main(int argc, char **argv) {
  check(argc > 1, "there are no transcripts");
  for (int i = 1; i < argc; i++) replay(argv[i]);
  converse();
  puts(failures ? "Some answers are wrong." : "All answers are right.");
  return failures ? 1 : 0;
}
