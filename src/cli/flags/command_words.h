// The words of a command line, as people type them, for the parser: llama.cpp has short names of several letters ("-ub"),
// which the parser takes for letters that are glued together, so that it is given long names only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags/flags.h"

namespace skald {

struct Command;

/// A command and the parser of its flags.
struct CommandParser {
  const Command* command;
  CLI::App* app;
  Flags flags;
};

/// `arguments`: those after the program's name. Gives the words of the command and, with the environment's, its flags.
/// Throws UsageError for commands and flags that are not known, naming what is near, and for values that are missing.
std::vector<std::string> command_words(std::span<const CommandParser> parsers, std::span<char* const> arguments);

}  // namespace skald
