// The special tokens of a tokenizer: their uses, those that surround a text, and those that end an answer.
#pragma once

#include "convert/tokenizers/tokenizer_files.h"
#include "convert/tokenizers/tokenizer_parts.h"

namespace skald {

/// Puts the files' added tokens into the table: control where they are special, user-defined otherwise.
void add_tokens(const TokenizerFiles& files, TokenizerParts& parts);

/// Writes tokenizer.ggml.*_token_id and add_*_token. `meta` has the vocabulary (set_vocabulary) already.
void set_special_tokens(const TokenizerFiles& files, const TokenizerParts& parts, Meta& meta);

}  // namespace skald
