// skald run in the form of a chat: one answer to messages.
#pragma once

#include "cli/run/options.h"

namespace skald {

/// Returns whether the flags ask for it.
bool asks_for_chat(const RunOptions& o, const Flags& flags);

/// Prints the answer. Throws UsageError naming flags that do not go together, and Error of messages, template and tools.
void run_chat(const RunOptions& o, const Flags& flags);

}  // namespace skald
