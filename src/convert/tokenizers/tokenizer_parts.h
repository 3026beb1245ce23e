// TokenizerParts: the content of a tokenizer's files, of any kind, before it becomes metadata.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/meta.h"
#include "convert/tokenizers/piece_table.h"
#include "text/token_rules.h"

namespace skald {

/// The special tokens of a vocabulary's own file, or by default those of its kind of tokenizer.
struct FileSpecials {
  int64_t bos = -1, eos = -1, unk = -1, pad = -1, eot = -1;  // -1: none
  bool add_bos = false;
};

struct TokenizerParts {
  std::string model;            // of tokenizer.ggml.model
  std::string pre = "default";  // of tokenizer.ggml.pre
  PieceTable pieces;
  bool has_scores = false;
  std::vector<std::string> merges = {};
  std::optional<bool> add_space_prefix = {}, remove_extra_whitespaces = {}, lowercase = {}, strip_accents = {};
  std::string charsmap = {};
  FileSpecials specials = {};
  std::map<int64_t, TokenRules> rules = {};  // of added tokens
  bool space_first = false;                  // kSpaceFirstKey
};

/// `bytes` again. Throws kBadFile for bytes that are no map of characters.
std::string checked_charsmap(std::string bytes);

/// Writes the keys of the vocabulary: tokenizer.ggml.model to .merges, how texts are normalized and added tokens are found.
void set_vocabulary(const TokenizerParts& parts, Meta& meta);

}  // namespace skald
