// GBNF, llama.cpp's notation of grammars (grammars/README.md there).
#pragma once

#include <string_view>

#include "sampling/grammar/grammar.h"

namespace skald {

/// Adds the grammar's rules; `root` becomes the start. Of a rule that is defined twice the last definition counts, with a
/// warning. Throws Error that names the line: kBadInput for wrong syntax, undefined rules and a missing root, kUnsupported
/// for tokens (<name>, <[id]>).
void add_gbnf(Grammar& grammar, std::string_view text);

}  // namespace skald
