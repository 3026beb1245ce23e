// Texts across which DRY sees no repetition, as token sequences.
#pragma once

#include <string_view>
#include <vector>

#include "skald/types.h"
#include "text/tokenizer.h"

namespace skald {

/// Returns the ways in which tokens can have the text, as llama.cpp finds them. Those are tokens that contain it, and tokens
/// that end with its beginning, followed by the tokens of the rest (at most 20). Of a text, 40 bytes count. Throws kBadInput
/// for an empty one.
std::vector<std::vector<TokenId>> dry_breakers(const Tokenizer& tokenizer, std::string_view text);

}  // namespace skald
