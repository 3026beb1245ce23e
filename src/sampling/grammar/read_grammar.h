// Grammars in any notation.
#pragma once

#include <functional>
#include <string>

#include "sampling/grammar/grammar.h"
#include "sampling/grammar/marker_spelling.h"
#include "sampling/grammar/time_limit.h"
#include "skald/grammar_params.h"

namespace skald {

/// The texts that `params` describe, with markers as `markers` spells them. `warn` hears what is ignored; it may be empty.
/// `limit` is of compiling, too. Throws Error (kBadInput, kUnsupported) that names what is wrong with the text, or cannot be
/// enforced.
Grammar read_grammar(const GrammarParams& params, const std::function<void(std::string)>& warn = {},
                     const MarkerSpelling& markers = {}, const TimeLimit& limit = {});

}  // namespace skald
