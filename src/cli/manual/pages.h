// The reference of the command line as a page: all commands with their flags by group. Groups that several commands have are
// told once.
#pragma once

#include <span>
#include <string>

#include "cli/manual/command_text.h"

namespace skald {

/// skald(1), in roff for man.
std::string manual_roff(std::span<const CommandText> commands);
/// docs/cli.md.
std::string manual_markdown(std::span<const CommandText> commands);

}  // namespace skald
