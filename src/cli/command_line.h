// CommandLine: all commands with the parsers of their flags.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/flags/command_words.h"

namespace skald {

/// What Skald is, in a sentence; what a person should know of the environment, and how the program ends. --help and the man
/// page say them.
extern const std::string_view kProgramSummary, kEnvironmentText, kExitCodesText;

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  std::span<const CommandParser> parsers() const { return parsers_; }
  /// What `skald --help` prints.
  std::string help() const;
  /// The action that the words ask for; none where they asked for --help or --version, which is printed. Throws UsageError.
  Action parse(std::span<char* const> arguments);

 private:
  void add(const Command& command);

  std::unique_ptr<CLI::App> app_;
  std::vector<CommandParser> parsers_;
  Action action_;
};

}  // namespace skald
