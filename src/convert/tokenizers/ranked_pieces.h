// Byte-level BPE as tiktoken has it: pieces are bytes with a rank, and merges make pieces of lower rank first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

struct RankedPiece {
  std::string bytes;
  int64_t rank;
};

/// "gpt2" with the ids `first_id` + rank, its bytes spelled as characters. Merges are found anew: those that make a piece of
/// two of lower rank. Throws kBadFile for equal bytes or ranks, and for very long pieces.
TokenizerParts ranked_bpe(std::vector<RankedPiece> all, int64_t first_id, PieceTable pieces);

}  // namespace skald
