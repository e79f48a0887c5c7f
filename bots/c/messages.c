#include "messages.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What was taken from memory for a message, as a list to be freed.
typedef struct Block {
  struct Block *next;
  max_align_t items[];
} Block;

typedef Block *Pool;

// A message, and what it points to.
typedef struct {
  Message message;
  cJSON *json;
  Pool pool;
} Holder;

static void *sure(void *memory) {
  if (memory == NULL) {
    fputs("There is no memory left.\n", stderr);
    exit(1);
  }
  return memory;
}

static void *take(Pool *pool, int count, size_t size) {
  Block *block = sure(calloc(1, sizeof(Block) + (size_t)count * size));
  block->next = *pool;
  *pool = block;
  return block->items;
}

static const cJSON *field(const cJSON *from, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(from, name);
}

static double number(const cJSON *from) { return cJSON_IsNumber(from) ? from->valuedouble : 0; }

static int whole(const cJSON *from, int absent) {
  return cJSON_IsNumber(from) ? from->valueint : absent;
}

// A whole number up to 2^53, beyond which a double is not exact.
static int64_t big(const cJSON *from, int64_t absent) {
  double found = cJSON_IsNumber(from) ? from->valuedouble : -1;
  return found >= 0 && found <= 9007199254740992.0 ? (int64_t)found : absent;
}

static const char *string(const cJSON *from) {
  const char *found = cJSON_GetStringValue(from);
  return found ? found : "";
}

// How many items a list has; NONE if it is null.
static int count(const cJSON *from) {
  if (cJSON_IsNull(from)) return NONE;
  return cJSON_IsArray(from) ? cJSON_GetArraySize(from) : 0;
}

// Defines a function that reads a list, by how each item of it is read.
#define LIST(List, name, read_item)                                      \
  static List name(Pool *pool, const cJSON *from) {                      \
    List list = {.count = count(from)};                                  \
    if (list.count > 0) {                                                \
      list.items = take(pool, list.count, sizeof *list.items);           \
      const cJSON *item = from->child;                                   \
      for (int i = 0; i < list.count; i++, item = item->next) read_item; \
    }                                                                    \
    return list;                                                         \
  }

LIST(Ints, ints, list.items[i] = whole(item, NONE))
LIST(Strings, strings, list.items[i] = string(item))
LIST(Strings, nullable_strings, list.items[i] = cJSON_GetStringValue(item))
LIST(StringLists, string_lists, list.items[i] = strings(pool, item))

static void read_limits(const cJSON *from, Limits *to) {
  to->start = number(field(from, "start"));
  to->move = number(field(from, "move"));
  to->bank = number(field(from, "bank"));
  to->wall = number(field(from, "wall"));
}

static void read_hello(const cJSON *from, Hello *to) {
  to->protocol = whole(field(from, "protocol"), 0);
  to->line = whole(field(from, "line"), 0);
  to->games = whole(field(from, "games"), 0);
  to->has_limits = cJSON_IsObject(field(from, "limits"));
  read_limits(field(from, "limits"), &to->limits);
}

static void read_start(Pool *pool, const cJSON *from, Start *to) {
  to->game = big(field(from, "game"), 0);
  to->variant = string(field(from, "variant"));
  to->seats = whole(field(from, "seats"), 0);
  to->seat = whole(field(from, "seat"), 0);
  to->rounds = whole(field(from, "rounds"), NONE);
  to->cards = strings(pool, field(from, "cards"));
  to->seed = big(field(from, "seed"), 0);
  to->bots = strings(pool, field(from, "bots"));
}

static void read_clock(const cJSON *from, Clock *to) {
  to->move = number(field(from, "move"));
  to->bank = number(field(from, "bank"));
}

static void read_result(Pool *pool, const cJSON *from, Result *to) {
  to->game = big(field(from, "game"), 0);
  to->scores = ints(pool, field(from, "scores"));
  to->ranks = ints(pool, field(from, "ranks"));
}

static void read_fault(const cJSON *from, Fault *to) {
  to->game = big(field(from, "game"), NONE);
  to->id = big(field(from, "id"), NONE);
  to->fault = string(field(from, "fault"));
  to->text = string(field(from, "text"));
}

static void read_trick(Pool *pool, const cJSON *from, Trick *to) {
  to->leader = whole(field(from, "leader"), 0);
  to->cards = strings(pool, field(from, "cards"));
  to->winner = whole(field(from, "winner"), NONE);
}

LIST(Tricks, tricks, read_trick(pool, item, &list.items[i]))

static void read_designating_past(Pool *pool, const cJSON *from, DesignatingPast *to) {
  to->tricks = tricks(pool, field(from, "tricks"));
  to->points = ints(pool, field(from, "points"));
  to->designated = string_lists(pool, field(from, "designated"));
  to->special = string_lists(pool, field(from, "special"));
}

static void read_designating_view(Pool *pool, const cJSON *from, DesignatingView *to) {
  to->seat = whole(field(from, "seat"), 0);
  to->phase = string(field(from, "phase"));
  to->round = whole(field(from, "round"), 0);
  to->scores = ints(pool, field(from, "scores"));
  to->hand = strings(pool, field(from, "hand"));
  to->leader = whole(field(from, "leader"), 0);
  to->trick = strings(pool, field(from, "trick"));
  to->tricks = tricks(pool, field(from, "tricks"));
  to->left_over = strings(pool, field(from, "left_over"));
  to->designated = string_lists(pool, field(from, "designated"));
  to->has_previous = cJSON_IsObject(field(from, "previous"));
  read_designating_past(pool, field(from, "previous"), &to->previous);
}

static void read_double_trick(Pool *pool, const cJSON *from, DoubleTrick *to) {
  to->leader = whole(field(from, "leader"), 0);
  to->cards = strings(pool, field(from, "cards"));
  to->takers = ints(pool, field(from, "takers"));
}

LIST(DoubleTricks, double_tricks, read_double_trick(pool, item, &list.items[i]))

static void read_hat_trick_past(Pool *pool, const cJSON *from, HatTrickPast *to) {
  to->tricks = double_tricks(pool, field(from, "tricks"));
  to->points = ints(pool, field(from, "points"));
  to->designated = string_lists(pool, field(from, "designated"));
  to->special = string_lists(pool, field(from, "special"));
}

static void read_hat_trick_view(Pool *pool, const cJSON *from, HatTrickView *to) {
  to->seat = whole(field(from, "seat"), 0);
  to->phase = string(field(from, "phase"));
  to->round = whole(field(from, "round"), 0);
  to->scores = ints(pool, field(from, "scores"));
  to->hand = strings(pool, field(from, "hand"));
  to->leader = whole(field(from, "leader"), 0);
  to->trick = strings(pool, field(from, "trick"));
  to->tricks = double_tricks(pool, field(from, "tricks"));
  to->left_over = strings(pool, field(from, "left_over"));
  to->designated = string_lists(pool, field(from, "designated"));
  to->has_previous = cJSON_IsObject(field(from, "previous"));
  read_hat_trick_past(pool, field(from, "previous"), &to->previous);
}

static void read_column(Pool *pool, const cJSON *from, Column *to) {
  to->leader = whole(field(from, "leader"), 0);
  to->cards = strings(pool, field(from, "cards"));
  to->hint = whole(field(from, "hint"), 0);
}

LIST(Columns, columns, read_column(pool, item, &list.items[i]))

static void read_trumps(const cJSON *from, Trumps *to) {
  to->colour = cJSON_GetStringValue(field(from, "colour"));
  to->number = whole(field(from, "number"), NONE);
}

static void read_draft_past(Pool *pool, const cJSON *from, DraftPast *to) {
  read_trumps(field(from, "trumps"), &to->trumps);
  to->tasks = nullable_strings(pool, field(from, "tasks"));
  to->tricks = tricks(pool, field(from, "tricks"));
  to->discards = nullable_strings(pool, field(from, "discards"));
}

static void read_draft_view(Pool *pool, const cJSON *from, DraftView *to) {
  to->seat = whole(field(from, "seat"), 0);
  to->phase = string(field(from, "phase"));
  to->round = whole(field(from, "round"), 0);
  to->scores = ints(pool, field(from, "scores"));
  to->dealer = whole(field(from, "dealer"), 0);
  to->tokens = string_lists(pool, field(from, "tokens"));
  to->discarded = string_lists(pool, field(from, "discarded"));
  to->supply = strings(pool, field(from, "supply"));
  to->columns = string_lists(pool, field(from, "columns"));
  to->picks = columns(pool, field(from, "picks"));
  to->has_trumps = cJSON_IsObject(field(from, "trumps"));
  read_trumps(field(from, "trumps"), &to->trumps);
  to->tasks = nullable_strings(pool, field(from, "tasks"));
  to->hand = strings(pool, field(from, "hand"));
  to->hands = string_lists(pool, field(from, "hands"));
  to->leader = whole(field(from, "leader"), 0);
  to->trick = strings(pool, field(from, "trick"));
  to->tricks = tricks(pool, field(from, "tricks"));
  to->has_previous = cJSON_IsObject(field(from, "previous"));
  read_draft_past(pool, field(from, "previous"), &to->previous);
}

// Whether a variant is this game, with or without modifiers.
static bool is(const char *variant, const char *game) {
  size_t length = strlen(game);
  return strncmp(variant, game, length) == 0 && (variant[length] == '\0' || variant[length] == '+');
}

static void read_decide(Pool *pool, const cJSON *from, Decide *to) {
  const cJSON *view = field(from, "view");
  to->game = big(field(from, "game"), 0);
  to->id = big(field(from, "id"), 0);
  to->variant = string(field(from, "variant"));
  to->kind = string(field(from, "kind"));
  to->options = strings(pool, field(from, "options"));
  if (is(to->variant, "sticheln") || is(to->variant, "stick-em")) {
    to->view = DESIGNATING;
    read_designating_view(pool, view, &to->designating);
  } else if (is(to->variant, "hat-trick")) {
    to->view = HAT_TRICK;
    read_hat_trick_view(pool, view, &to->hat_trick);
  } else if (is(to->variant, "was-sticht")) {
    to->view = DRAFT;
    read_draft_view(pool, view, &to->draft);
  }
  to->has_clock = cJSON_IsObject(field(from, "clock"));
  read_clock(field(from, "clock"), &to->clock);
}

Message *message_read(const char *line, size_t length) {
  cJSON *json = cJSON_ParseWithLength(line, length);
  if (!cJSON_IsObject(json)) {
    cJSON_Delete(json);
    return NULL;
  }
  Holder *holder = sure(calloc(1, sizeof *holder));
  Message *message = &holder->message;
  const char *type = string(field(json, "type"));
  holder->json = json;
  if (strcmp(type, "hello") == 0) {
    message->type = HELLO;
    read_hello(json, &message->hello);
  } else if (strcmp(type, "start") == 0) {
    message->type = START;
    read_start(&holder->pool, json, &message->start);
  } else if (strcmp(type, "decide") == 0) {
    message->type = DECIDE;
    read_decide(&holder->pool, json, &message->decide);
  } else if (strcmp(type, "result") == 0) {
    message->type = RESULT;
    read_result(&holder->pool, json, &message->result);
  } else if (strcmp(type, "fault") == 0) {
    message->type = FAULT;
    read_fault(json, &message->fault);
  }
  return message;
}

void message_free(Message *message) {
  Holder *holder = (Holder *)message;  // of which it is the first part
  while (holder->pool != NULL) {
    Block *block = holder->pool;
    holder->pool = block->next;
    free(block);
  }
  cJSON_Delete(holder->json);
  free(holder);
}

// Adds a string, unless it is NULL.
static void add_string(cJSON *to, const char *name, const char *value) {
  if (value != NULL) sure(cJSON_AddStringToObject(to, name, value));
}

// Adds a whole number; cJSON itself would write some with an exponent.
static void add_whole(cJSON *to, const char *name, int64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, value);
  sure(cJSON_AddRawToObject(to, name, digits));
}

// An object as a line; the object is gone then.
static char *line_of(cJSON *json) {
  char *line = sure(cJSON_PrintUnformatted(json));
  cJSON_Delete(json);
  return line;
}

char *ready_line(const Ready *ready) {
  cJSON *json = sure(cJSON_CreateObject());
  const Strings *variants = &ready->variants;
  add_string(json, "type", "ready");
  add_string(json, "name", ready->name);
  add_string(json, "version", ready->version);
  if (ready->games > 0) add_whole(json, "games", ready->games);
  if (variants->count > 0) {
    cJSON_AddItemToObject(json, "variants",
                          sure(cJSON_CreateStringArray(variants->items, variants->count)));
  }
  return line_of(json);
}

char *choose_line(const Choose *choose) {
  cJSON *json = sure(cJSON_CreateObject());
  add_string(json, "type", "choose");
  add_whole(json, "id", choose->id);
  add_string(json, "choice", choose->choice);
  add_string(json, "note", choose->note);
  return line_of(json);
}
