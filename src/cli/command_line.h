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

/// Texts of --help and the man page: Skald in a sentence, its environment variables, and its exit codes.
extern const std::string_view kProgramSummary, kEnvironmentText, kExitCodesText;

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  std::span<const CommandParser> parsers() const { return parsers_; }
  /// Returns the text of `skald --help`.
  std::string help() const;
  /// Reads the action that the words ask for; none where they asked for --help or --version, which is printed. Throws
  /// UsageError.
  Action parse(std::span<char* const> arguments);

 private:
  void add(const Command& command);

  std::unique_ptr<CLI::App> app_;
  std::vector<CommandParser> parsers_;
  Action action_;
};

}  // namespace skald
