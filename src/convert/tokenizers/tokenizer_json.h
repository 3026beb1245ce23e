// TokenizerJson: the steps of a tokenizer as tokenizer.json (of the package `tokenizers`) lists them, without the
// vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convert/json_node.h"
#include "text/token_rules.h"

namespace skald {

/// An entry of added_tokens.
struct AddedToken {
  int64_t id;
  std::string text;
  bool special;
  TokenRules rules = {};
};

/// Returns the rules of an object that describes a token: as the package `tokenizers` has it where it is silent.
TokenRules token_rules_of(const JsonNode& token);

/// The changes to a text before it is cut.
struct JsonNormalizer {
  bool nfc = false;
  bool spaces_spelled = false;  // " " becomes U+2581
  bool space_first = false;     // U+2581 is put before the text
  bool spaces_merged = false;   // runs of spaces become one, or those at the ends go
  bool bert = false;            // BertNormalizer, with
  bool lowercase = false;
  std::optional<bool> strip_accents;
  std::string charsmap;             // of Precompiled, as bytes
  std::vector<std::string> others;  // types of steps that none of these describes
};

/// How a text is cut into words.
struct JsonPreTokenizer {
  std::vector<std::string> patterns;  // each cuts the former's pieces into its matches and the gaps: see regex_form
  bool byte_level = false;            // bytes are spelled as characters
  bool metaspace = false;             // spaces are spelled as U+2581,
  bool space_first = false;           // and one is put first: by metaspace or ByteLevel
  bool spaces_merged = false;         // WhitespaceSplit
  bool bert = false;
  std::vector<std::string> others;
};

/// The tokens that a text gets around it.
struct JsonPostProcessor {
  std::vector<std::string> before, after, between;  // names of added tokens; `between` two texts
  bool is_template = false;                         // it tells them, rather than none
};

struct TokenizerJson {
  JsonNode model;
  std::string type;  // BPE, Unigram, WordPiece
  JsonNormalizer normalizer = {};
  JsonPreTokenizer pre_tokenizer = {};
  JsonPostProcessor post_processor = {};
  std::vector<AddedToken> added = {};

  /// `root` must outlive it. Throws kBadFile naming the key.
  static TokenizerJson parse(const JsonNode& root);
};

}  // namespace skald
