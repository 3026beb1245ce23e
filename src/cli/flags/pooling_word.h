// --pooling.
#pragma once

#include <optional>
#include <string>

#include "skald/pooling.h"

namespace skald {

/// none, mean, cls, last or rank; empty: what the model asks for. Throws UsageError naming the command.
std::optional<Pooling> pooling_of(const std::string& command, const std::string& word);

}  // namespace skald
