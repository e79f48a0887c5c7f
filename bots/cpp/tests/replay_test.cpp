// The bot answers the games in transcripts/ as it would answer a referee.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "messages.hpp"
#include "referee.hpp"

using nlohmann::json;

namespace {

int failures = 0;

void check(bool right, const std::string& what) {
  if (right) return;
  std::cerr << "Failed: " << what << '\n';
  ++failures;
}

// Questions are answered, with their ids and one of their options, and nothing else is.
void check_answer(const json& message) {
  const auto answer = hear(message.dump());
  if (message["type"] == "hello") {
    check(answer == R"({"type":"ready","games":64})", message.dump());
  } else if (message["type"] == "decide") {
    const json choose = json::parse(answer.value_or("{}"));
    check(choose.size() == 3 && choose.value("type", "") == "choose", message.dump());
    check(choose.value("id", json()) == message["id"], message.dump());
    const auto options = message["options"].get<Strings>();
    const auto choice = choose.value("choice", "");
    check(std::count(options.begin(), options.end(), choice) == 1, message.dump());
  } else {
    check(!answer, message.dump());
  }
}

// The seat and the phase that a view tells.
struct SeatAndPhase {
  template <typename Kind>
  std::pair<int, std::string> operator()(const Kind& view) const {
    return {view.seat, view.phase};
  }
  std::pair<int, std::string> operator()(std::monostate) const { return {-1, "no view"}; }
};

// Messages are read into their types, views too.
void check_types(const std::string& line, std::map<std::int64_t, int>& seats) {
  const ToBot message = read(line);
  check(!std::holds_alternative<std::monostate>(message), line);
  if (const auto* start = std::get_if<Start>(&message)) {
    seats[start->game] = start->seat;
  } else if (const auto* question = std::get_if<Decide>(&message)) {
    const std::pair expected{seats[question->game], question->kind};
    check(std::visit(SeatAndPhase{}, question->view) == expected, line);
  }
}

void replay(const std::filesystem::path& file) {
  std::ifstream transcript(file);
  std::map<std::int64_t, int> seats;
  int heard = 0;
  for (std::string line; std::getline(transcript, line);) {
    const json entry = json::parse(line);
    if (entry["to"] != "bot") continue;
    check_answer(entry["message"]);
    check_types(entry["message"].dump(), seats);
    ++heard;
  }
  check(heard > 0, file.string() + " holds nothing");
}

// A conversation is lines, however they are spelt; the last one is cut off.
void converse() {
  const std::string heard =
      "{\"later\":[],\"games\":64.0,\"limits\":null,\"type\":\"hello\"}\n"
      "nonsense\n"
      "{\"options\":[\"\\u00520\",\"B1\"],\"kind\":\"new\",\"id\":9007199254740991.0,"
      "\"type\":\"decide\"}\n"
      "{\"type\":\"news\",\"view\":3}\n"
      "{\"type\":\"he";
  const std::string expected =
      "{\"type\":\"ready\",\"games\":64}\n"
      "{\"type\":\"choose\",\"id\":9007199254740991,\"choice\":\"R0\"}\n";
  int to_bot[2];
  int from_bot[2];
  check(pipe(to_bot) == 0 && pipe(from_bot) == 0, "there are no pipes");
  check(write(to_bot[1], heard.data(), heard.size()) == static_cast<ssize_t>(heard.size()), heard);
  close(to_bot[1]);
  check(talk(to_bot[0], from_bot[1]), "it cannot write");
  close(from_bot[1]);
  std::string told(1000, '\0');
  told.resize(std::max<ssize_t>(0, read(from_bot[0], told.data(), told.size())));
  check(told == expected, "it said " + told);
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(argc > 1 ? argv[1] : "transcripts")) {
    replay(file.path());
    ++files;
  }
  check(files > 0, "there are no transcripts");
  converse();
  return failures ? 1 : 0;
}
