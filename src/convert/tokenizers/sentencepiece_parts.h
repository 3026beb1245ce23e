// A SentencePiece file as the parts of a GGUF file's tokenizer.
#pragma once

#include <string_view>

#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

/// BPE becomes "llama", unigram "t5". Throws kBadFile for bytes that are no such file, kUnsupported for a kind that GGUF has
/// no tokenizer for.
TokenizerParts sentencepiece_parts(std::string_view bytes, PieceTable pieces);

}  // namespace skald
