// The talking: lines from the referee, answers to it.
#pragma once

#include <optional>
#include <string>

// Answers all questions there are, waits for more, and returns when the referee hangs up; false if
// it could not be written to.
bool talk(int from, int to);

// The line that answers a line, without its newline; none if it wants no answer or is not known.
std::optional<std::string> hear(const std::string& line);
