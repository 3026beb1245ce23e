// Options of a service from words, as `skald serve` and `skald batch` read them.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flag_table.h"
#include "serve/options.h"

namespace skald {

/// Says whether the words may be about a network: those of `skald serve`, or those of `skald batch` alone.
enum class ServeWords : uint8_t { kServer, kLocal };

/// Reads flags by their long names ("--ctx-size", "4096"). Throws UsageError naming the one that is wrong.
serve::ServeOptions serve_options(ServeWords kind, std::vector<std::string> words);

/// Returns the flags that serve_options() reads.
std::vector<DeclaredFlag> serve_flags(ServeWords kind);

}  // namespace skald
