// Command: one subcommand, one file of cli/commands each; the build lists them.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/flags/flags.h"

namespace skald {

/// Runs the command with the flags that were parsed; throws Error or UsageError.
using Action = std::function<void()>;

struct Command {
  std::string_view name;      // of two words for a second word after another command's name: "bench kv" of bench_kv.cpp
  std::string_view summary;   // one line
  std::string_view examples;  // "  skald run -p ...\n"
  Action (*declare)(Flags&);
};

/// Returns all commands, one per file (generated).
std::span<const Command* const> commands();

}  // namespace skald
