// Grammars in any notation.
#pragma once

#include <functional>
#include <string>

#include "sampling/grammar/grammar.h"
#include "skald/grammar_params.h"

namespace skald {

/// The texts that `params` describe. `warn` hears what is ignored; it may be empty. Throws Error (kBadInput, kUnsupported)
/// that names what is wrong with the text, or cannot be enforced.
Grammar read_grammar(const GrammarParams& params, const std::function<void(std::string)>& warn = {});

}  // namespace skald
