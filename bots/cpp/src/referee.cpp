#include "referee.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <iostream>
#include <string_view>
#include <utility>
#include <variant>

#include "messages.hpp"
#include "strategy.hpp"

namespace {

using Time = std::chrono::steady_clock;

// How many games it can play at once.
constexpr int games = 64;

// How long answers are kept back while more questions lie ready.
constexpr std::chrono::milliseconds patience{10};

// What there is to read, at most so much as fits; nothing at the end.
std::string_view next(int from, std::array<char, 1 << 16>& space) {
  ssize_t count;
  do {
    count = read(from, space.data(), space.size());
  } while (count < 0 && errno == EINTR);
  return {space.data(), count > 0 ? static_cast<size_t>(count) : 0};
}

// Writes all of it at once, and empties it.
bool send(int to, std::string& answers) {
  size_t sent = 0;
  while (sent < answers.size()) {
    const ssize_t count = write(to, answers.data() + sent, answers.size() - sent);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) sent += static_cast<size_t>(count);
  }
  answers.clear();
  return true;
}

}  // namespace

bool talk(int from, int to) {
  std::array<char, 1 << 16> space;
  std::string line;
  std::string answers;
  for (auto text = next(from, space); !text.empty(); text = next(from, space)) {
    auto begun = Time::now();
    for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
      line.append(text.substr(0, end));
      if (auto answer = hear(line)) answers += *answer + '\n';
      line.clear();
      // One write for many answers is fast. But the clock runs until an answer is sent, so none is
      // kept back while you think about the next question.
      if (Time::now() - begun > patience) {
        if (!send(to, answers)) return false;
        begun = Time::now();
      }
    }
    line.append(text);
    if (!send(to, answers)) return false;
  }
  return true;
}

std::optional<std::string> hear(const std::string& line) {
  try {
    const ToBot message = ::read(line);
    if (std::holds_alternative<Hello>(message)) {
      Ready ready;
      ready.games = games;
      return ::line(ready);
    }
    if (const auto* question = std::get_if<Decide>(&message)) {
      Choice choice = choose(*question);
      return ::line(Choose{question->id, std::move(choice.option), std::move(choice.note)});
    }
    if (const auto* begun = std::get_if<Start>(&message)) start(*begun);
    if (const auto* ended = std::get_if<Result>(&message)) result(*ended);
    if (const auto* fault = std::get_if<Fault>(&message)) {
      std::cerr << "The referee says: " << fault->text << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << "A line was not understood: " << error.what() << '\n';
  }
  return std::nullopt;
}
