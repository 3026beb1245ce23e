// The tokenizer of a Hugging Face folder as GGUF metadata.
#pragma once

#include <cstdint>
#include <string>

#include "base/meta.h"
#include "convert/hf_directory.h"

namespace skald {

struct TokenizerOptions {
  std::string pre_tokenizer;  // a name of tokenizer.ggml.pre, instead of the one that the files' expressions lead to
};

/// Writes tokenizer.ggml.* and tokenizer.chat_template into `meta`, for a model whose embedding has `n_vocab` rows: missing
/// ids become unused pieces, ids that have no row are left out with a warning.
///
/// Reads, whichever are there: tokenizer.model or spiece.model (SentencePiece, tiktoken), tokenizer.json, vocab.json with
/// merges.txt, qwen.tiktoken, tekken.json. For the special tokens it reads tokenizer_config.json, special_tokens_map.json,
/// added_tokens.json, generation_config.json and config.json. A SentencePiece file is preferred to a tokenizer.json that was
/// made of one.
///
/// Throws kNotFound when no vocabulary is there, kBadFile naming file and key for one that is inconsistent. Throws
/// kUnsupported for one that GGUF has no tokenizer for, kBadInput for a pre-tokenizer that does not exist.
void convert_tokenizer(const HfDirectory& dir, int64_t n_vocab, Meta& meta, const TokenizerOptions& options = {});

}  // namespace skald
