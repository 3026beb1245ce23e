// Vocab: the pieces of a tokenizer with their kinds and special ids, read from GGUF metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/meta.h"
#include "skald/types.h"
#include "skald/vocabulary.h"
#include "text/fill_tokens.h"
#include "text/token_rules.h"

namespace skald {

struct Vocab {
  std::string model;  // tokenizer.ggml.model: "llama", "gemma4", "gpt2", "t5" or "bert"
  std::string pre;    // tokenizer.ggml.pre; "default" where the file has none
  std::vector<std::string> pieces;
  std::vector<float> scores;                          // empty when the file has none
  std::vector<PieceKind> kinds;                       // one per piece
  std::unordered_map<std::string_view, TokenId> ids;  // into `pieces`; of equal pieces the last; empty pieces are left out
  std::optional<TokenId> bos, eos, eot, eom, unk, sep, pad;  // `bos`: BERT's [CLS] too
  FillTokens fill;
  bool add_bos = false, add_eos = false, add_sep = false, add_space_prefix = false;
  std::vector<bool> ends;         // one per piece: generation stops after it
  std::vector<TokenRules> rules;  // one per piece: how it is found as a special token
  bool space_first = false;       // kSpaceFirstKey

  Vocab() = default;
  Vocab(Vocab&&) = default;
  Vocab& operator=(Vocab&&) = default;
  Vocab(const Vocab&) = delete;  // `ids` points into `pieces`
  Vocab& operator=(const Vocab&) = delete;

  /// Reads and checks `tokenizer.ggml.*`; throws kBadFile or kNotFound naming the key. A special id outside the vocabulary
  /// counts as absent: files write -1 for "none".
  static Vocab read(const Meta& meta);

  int64_t size() const { return static_cast<int64_t>(pieces.size()); }
  bool contains(TokenId id) const { return id >= 0 && id < size(); }
  std::optional<TokenId> find(std::string_view piece) const;
  PieceKind kind(TokenId id) const { return kinds[static_cast<size_t>(id)]; }
  /// Control and unknown pieces: not part of running text.
  bool is_special(TokenId id) const { return kind(id) == PieceKind::kControl || kind(id) == PieceKind::kUnknown; }
  /// Returns whether it is a user-defined piece of which not each occurrence in a text is one: no other piece may become it.
  bool needs_place(TokenId id) const {
    const TokenRules& r = rules[static_cast<size_t>(id)];
    return kind(id) == PieceKind::kUserDefined && (r.single_word || (r.normalized && space_first));
  }
  /// Returns true for the tokens after which generation stops: EOS, EOT and their kin (<|im_end|>, <|eot_id|>, ...).
  bool is_end(TokenId id) const { return contains(id) && ends[static_cast<size_t>(id)]; }
  /// Returns all of those.
  std::vector<TokenId> end_tokens() const;
};

}  // namespace skald
