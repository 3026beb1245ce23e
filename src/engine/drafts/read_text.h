// ReadText: a text as a model that guesses has read it.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kv/sequence.h"
#include "skald/types.h"

namespace skald {

class ReadText {
 public:
  explicit ReadText(KvSequence kv, std::vector<TokenId> tokens = {}) : kv(std::move(kv)), tokens_(std::move(tokens)) {}
  ReadText fork() const { return ReadText(kv.fork(), tokens_); }

  std::span<const TokenId> tokens() const { return tokens_; }  // have keys
  /// Goes back to where the text agrees with what was read. Returns the tokens that were not: the last one at least.
  std::span<const TokenId> unread(std::span<const TokenId> text) {
    const auto differs = std::ranges::mismatch(tokens_, text.first(text.size() - 1)).in1;
    if (differs != tokens_.end()) {
      tokens_.erase(differs, tokens_.end());
      if (!kv.truncate(std::ssize(tokens_))) {
        kv.clear();
        tokens_.clear();
      }
    }
    return text.subspan(tokens_.size());
  }
  void note_read(std::span<const TokenId> tokens) { tokens_.insert(tokens_.end(), tokens.begin(), tokens.end()); }

  KvSequence kv;

 private:
  std::vector<TokenId> tokens_;
};

}  // namespace skald
