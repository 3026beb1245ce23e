// Whether a grammar's rule has any text at all.
#pragma once

#include "sampling/grammar/grammar.h"

namespace skald {

bool has_text(Grammar& grammar, RuleId rule);

}  // namespace skald
