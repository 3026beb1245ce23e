// The chat formats of families of models, for files that do not say theirs.
#pragma once

#include <string_view>

#include "base/meta.h"

namespace skald {

/// Returns the name of a built-in template; empty where the family is not known, or its control tokens are not in the
/// vocabulary.
std::string_view family_template(const Meta& meta);

}  // namespace skald
