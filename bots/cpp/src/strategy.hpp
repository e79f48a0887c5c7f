// Your strategy.
#pragma once

#include <string>

#include "messages.hpp"

// One of the options of a question.
std::string choose(const Decide& question);
