// Flags from the environment: --ctx-size is SKALD_CTX_SIZE, and llama.cpp's LLAMA_ARG_CTX_SIZE.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags/flag_table.h"
#include "cli/flags/llama.h"

namespace skald {

/// Words for the parser: the flags of the command that are not among `given` and that the environment has. Flags of
/// llama.cpp that have no meaning here are told, but for those of `taken`. Says in a line on stderr which these are. Throws
/// UsageError naming a variable whose value is neither on nor off.
std::vector<std::string> words_of_environment(const FlagTable& table, std::string_view command,
                                              std::span<const DeclaredFlag* const> given,
                                              std::span<const LlamaFlag* const> taken);

}  // namespace skald
