// Scripts that let a shell complete commands, flags, words that a flag takes, files, and names of models that were got.
#pragma once

#include <span>
#include <string>

#include "cli/manual/command_text.h"

namespace skald {

std::string bash_completions(std::span<const CommandText> commands);
std::string zsh_completions(std::span<const CommandText> commands);
std::string fish_completions(std::span<const CommandText> commands);

/// Returns the beginning of a flag's help, of one line: up to its first semicolon or the end of its first sentence.
std::string short_help(const DeclaredFlag& flag);

}  // namespace skald
