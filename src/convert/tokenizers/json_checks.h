// Refusals of tokenizer.json's steps that a kind of tokenizer does not have.
#pragma once

#include "convert/tokenizers/tokenizer_json.h"

namespace skald {

/// Throw kUnsupported naming the first step that has no meaning in GGUF.
void check_steps_known(const JsonNormalizer& normalizer);
void check_steps_known(const JsonPreTokenizer& pre_tokenizer);

/// Throws kUnsupported for pieces that are marked inside or at the end of words (CLIP), unless their mark is `inside`.
void check_no_affixes(const JsonNode& model, std::string_view inside = "");

}  // namespace skald
