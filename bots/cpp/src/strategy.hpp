// Your strategy.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "messages.hpp"

// An option, and a note to find beside it in the replay: {"R7", "to lose the lead"}.
struct Choice {
  // Not explicit, so that an option alone is a choice.
  Choice(std::string option, std::optional<std::string> note = std::nullopt)
      : option(std::move(option)), note(std::move(note)) {}

  std::string option;
  std::optional<std::string> note;
};

// One of the options of a question.
Choice choose(const Decide& question);

// What is called when a game begins, and when it has ended.
void start(const Start& start);
void result(const Result& result);
