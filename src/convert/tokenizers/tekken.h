// tekken.json, the vocabulary of Mistral's models since 2024.
#pragma once

#include "convert/json_node.h"
#include "convert/tokenizers/pre_tokenizer_name.h"
#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

/// Byte-level BPE, "gpt2": special tokens first, then pieces by their ranks. Throws kBadFile naming the key, and as
/// pre_tokenizer_name.
TokenizerParts tekken_parts(const JsonNode& root, PieceTable pieces, const PreTokenizerChoice& pre);

}  // namespace skald
