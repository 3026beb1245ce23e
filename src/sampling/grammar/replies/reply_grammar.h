// Grammars of replies: reasoning, then content, calls of tools, or both, as a format writes them.
#pragma once

#include <functional>
#include <string>

#include "sampling/grammar/grammar.h"
#include "sampling/grammar/marker_spelling.h"
#include "skald/grammar_params.h"

namespace skald {

/// Makes a grammar of content (its start; params.kind says whether there is one) one of whole replies of params.reply. What
/// the format's reader takes for a call in such a reply is a call of one of the tools, with arguments that fit its schema.
/// Throws Error (kBadInput, kUnsupported) naming the tool, its keyword, or the tool choice that cannot be held.
void make_reply(Grammar& grammar, const GrammarParams& params, const MarkerSpelling& markers,
                const std::function<void(std::string)>& warn);

}  // namespace skald
