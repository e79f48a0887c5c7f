#include "messages.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

template <typename Value>
void convert(const json& from, std::optional<Value>& to);
template <typename Value>
void convert(const json& from, std::vector<Value>& to);

template <typename Value>
void convert(const json& from, Value& to) {
  from.get_to(to);
}

// A whole number may be spelt 7.0.
template <typename Whole>
void convert_whole(const json& from, Whole& to, double most) {
  const auto number = from.get<double>();
  if (!(std::abs(number) <= most)) throw std::range_error("a number is too large");
  to = static_cast<Whole>(number);
}

void convert(const json& from, int& to) { convert_whole(from, to, 2147483647.0); }

void convert(const json& from, std::int64_t& to) { convert_whole(from, to, 9007199254740991.0); }

template <typename Value>
void convert(const json& from, std::optional<Value>& to) {
  if (from.is_null()) {
    to.reset();
  } else {
    convert(from, to.emplace());
  }
}

template <typename Value>
void convert(const json& from, std::vector<Value>& to) {
  to.clear();
  for (const json& item : from) convert(item, to.emplace_back());
}

// Reads a field; where it is absent, what it is read into stays as it is.
template <typename Value>
void field(const json& from, const char* name, Value& to) {
  const auto found = from.find(name);
  if (found != from.end()) convert(*found, to);
}

}  // namespace

static void from_json(const json& from, Limits& to) {
  field(from, "start", to.start);
  field(from, "move", to.move);
  field(from, "bank", to.bank);
  field(from, "wall", to.wall);
}

static void from_json(const json& from, Hello& to) {
  field(from, "protocol", to.protocol);
  field(from, "line", to.line);
  field(from, "games", to.games);
  field(from, "limits", to.limits);
}

static void from_json(const json& from, Start& to) {
  field(from, "game", to.game);
  field(from, "variant", to.variant);
  field(from, "seats", to.seats);
  field(from, "seat", to.seat);
  field(from, "rounds", to.rounds);
  field(from, "cards", to.cards);
  field(from, "seed", to.seed);
  field(from, "bots", to.bots);
}

static void from_json(const json& from, Clock& to) {
  field(from, "move", to.move);
  field(from, "bank", to.bank);
}

static void from_json(const json& from, Result& to) {
  field(from, "game", to.game);
  field(from, "scores", to.scores);
  field(from, "ranks", to.ranks);
}

static void from_json(const json& from, Fault& to) {
  field(from, "game", to.game);
  field(from, "id", to.id);
  field(from, "fault", to.fault);
  field(from, "text", to.text);
}

static void from_json(const json& from, Trick& to) {
  field(from, "leader", to.leader);
  field(from, "cards", to.cards);
  field(from, "winner", to.winner);
}

static void from_json(const json& from, DesignatingPast& to) {
  field(from, "tricks", to.tricks);
  field(from, "points", to.points);
  field(from, "designated", to.designated);
  field(from, "special", to.special);
}

static void from_json(const json& from, DesignatingView& to) {
  field(from, "seat", to.seat);
  field(from, "phase", to.phase);
  field(from, "round", to.round);
  field(from, "scores", to.scores);
  field(from, "hand", to.hand);
  field(from, "leader", to.leader);
  field(from, "trick", to.trick);
  field(from, "tricks", to.tricks);
  field(from, "left_over", to.left_over);
  field(from, "designated", to.designated);
  field(from, "previous", to.previous);
}

static void from_json(const json& from, DoubleTrick& to) {
  field(from, "leader", to.leader);
  field(from, "cards", to.cards);
  field(from, "takers", to.takers);
}

static void from_json(const json& from, HatTrickPast& to) {
  field(from, "tricks", to.tricks);
  field(from, "points", to.points);
  field(from, "designated", to.designated);
  field(from, "special", to.special);
}

static void from_json(const json& from, HatTrickView& to) {
  field(from, "seat", to.seat);
  field(from, "phase", to.phase);
  field(from, "round", to.round);
  field(from, "scores", to.scores);
  field(from, "hand", to.hand);
  field(from, "leader", to.leader);
  field(from, "trick", to.trick);
  field(from, "tricks", to.tricks);
  field(from, "left_over", to.left_over);
  field(from, "designated", to.designated);
  field(from, "previous", to.previous);
}

static void from_json(const json& from, Column& to) {
  field(from, "leader", to.leader);
  field(from, "cards", to.cards);
  field(from, "hint", to.hint);
}

static void from_json(const json& from, Trumps& to) {
  field(from, "colour", to.colour);
  field(from, "number", to.number);
}

static void from_json(const json& from, DraftPast& to) {
  field(from, "trumps", to.trumps);
  field(from, "tasks", to.tasks);
  field(from, "tricks", to.tricks);
  field(from, "discards", to.discards);
}

static void from_json(const json& from, DraftView& to) {
  field(from, "seat", to.seat);
  field(from, "phase", to.phase);
  field(from, "round", to.round);
  field(from, "scores", to.scores);
  field(from, "dealer", to.dealer);
  field(from, "tokens", to.tokens);
  field(from, "discarded", to.discarded);
  field(from, "supply", to.supply);
  field(from, "columns", to.columns);
  field(from, "picks", to.picks);
  field(from, "trumps", to.trumps);
  field(from, "tasks", to.tasks);
  field(from, "hand", to.hand);
  field(from, "hands", to.hands);
  field(from, "leader", to.leader);
  field(from, "trick", to.trick);
  field(from, "tricks", to.tricks);
  field(from, "previous", to.previous);
}

// The view of a kind; none if it is of another.
template <typename Kind>
static View view_of(const json& view) {
  try {
    return view.get<Kind>();
  } catch (const std::exception&) {
    return {};
  }
}

static View view_in(const json& view, const std::string& variant) {
  const std::string game = variant.substr(0, variant.find('+'));
  if (game == "sticheln" || game == "stick-em") return view_of<DesignatingView>(view);
  if (game == "hat-trick") return view_of<HatTrickView>(view);
  if (game == "was-sticht") return view_of<DraftView>(view);
  return {};
}

static void from_json(const json& from, Decide& to) {
  field(from, "game", to.game);
  field(from, "id", to.id);
  field(from, "variant", to.variant);
  field(from, "kind", to.kind);
  field(from, "options", to.options);
  field(from, "clock", to.clock);
  if (from.contains("view")) to.view = view_in(from["view"], to.variant);
}

ToBot read(const std::string& line) {
  const json message = json::parse(line);
  const std::string type = message.value("type", "");
  if (type == "hello") return message.get<Hello>();
  if (type == "start") return message.get<Start>();
  if (type == "decide") return message.get<Decide>();
  if (type == "result") return message.get<Result>();
  if (type == "fault") return message.get<Fault>();
  return {};
}

std::string line(const Ready& ready) {
  ordered_json to{{"type", "ready"}};
  if (ready.name) to["name"] = *ready.name;
  if (ready.version) to["version"] = *ready.version;
  to["games"] = ready.games;
  if (ready.variants) to["variants"] = *ready.variants;
  return to.dump();
}

std::string line(const Choose& choose) {
  ordered_json to{{"type", "choose"}, {"id", choose.id}, {"choice", choose.choice}};
  if (choose.note) to["note"] = *choose.note;
  return to.dump();
}
