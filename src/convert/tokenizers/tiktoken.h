// Vocabularies as tiktoken keeps them (qwen.tiktoken, GLM-4's tokenizer.model): a line with bytes and rank for each piece.
#pragma once

#include <string_view>

#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

/// Returns whether a file begins as such a vocabulary does.
bool is_tiktoken(std::string_view text);

/// Byte-level BPE, "gpt2", without special tokens; ids are ranks. Merges are found anew: those that make each piece of two
/// of lower rank. Throws kBadFile naming the line.
TokenizerParts tiktoken_parts(std::string_view text, PieceTable pieces);

/// The special tokens that the code of Qwen 1 puts after the ranks of qwen.tiktoken.
void add_qwen_specials(TokenizerParts& parts);

}  // namespace skald
