// The bot answers the games in transcripts/ as it would answer a referee.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

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

// Whether the bot can play, at least one game at once.
bool is_ready(const json& answer) {
  return answer.value("type", "") == "ready" && answer.value("games", 1) > 0;
}

// Whether an answer has the id of the question and one of its options.
bool is_choice(const json& answer, const json& question) {
  const auto options = question["options"].get<Strings>();
  const json id = answer.value("id", json());
  return answer.value("type", "") == "choose" && id.is_number_integer() && id == question["id"] &&
         std::count(options.begin(), options.end(), answer.value("choice", "")) == 1;
}

// Questions are answered, and nothing else is.
void check_answer(const json& message) {
  const auto answer = hear(message.dump());
  if (message["type"] == "hello") {
    check(is_ready(json::parse(answer.value_or("{}"))), message.dump());
  } else if (message["type"] == "decide") {
    check(is_choice(json::parse(answer.value_or("{}")), message), message.dump());
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
  const json question = {{"options", {"R0", "B1"}}, {"id", 9007199254740991}};
  int to_bot[2];
  int from_bot[2];
  check(pipe(to_bot) == 0 && pipe(from_bot) == 0, "there are no pipes");
  check(write(to_bot[1], heard.data(), heard.size()) == static_cast<ssize_t>(heard.size()), heard);
  close(to_bot[1]);
  check(talk(to_bot[0], from_bot[1]), "it cannot write");
  close(from_bot[1]);
  std::string told(1000, '\0');
  told.resize(std::max<ssize_t>(0, read(from_bot[0], told.data(), told.size())));
  std::istringstream lines(told);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  check(answers.size() == 2 && told.back() == '\n' && is_ready(answers[0]) &&
            is_choice(answers[1], question),
        "it said " + told);
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
