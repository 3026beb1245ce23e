// HiddenText: a text as a layer that looks ahead reads it. A row takes a token and the model's hidden row of the token
// before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kv/sequence.h"
#include "skald/types.h"
#include "stepping/logits.h"

namespace skald {

/// The layer's sequence, and hidden rows that it has not read. It may begin anywhere in the text, and anew: rows may never
/// have been seen, of tokens whose keys came from others. What it has not read changes guesses and no text.
class HiddenText {
 public:
  explicit HiddenText(KvSequence kv) : kv_(std::move(kv)) {}
  HiddenText fork() const;

  /// The rows of the text's tokens from `first` on. They replace those that were there.
  void see(int64_t first, const Logits& hidden, int64_t first_row, int64_t n);

  /// The tokens that it can read next, at most `most`, of a text of which the first `computed` have rows that are right.
  std::span<const TokenId> unread(std::span<const TokenId> text, int64_t computed, int64_t most) const;
  /// The row before each of these.
  std::span<const float> rows_before(std::span<const TokenId> tokens) const;
  /// A step has read them.
  void note_read(std::span<const TokenId> tokens);
  /// Makes room in a sequence of at most `most` keys for n more, which begins anew if need be.
  void make_room(int64_t n, int64_t most);
  /// Begins anew with the tokens that follow.
  void forget();

  /// Tokens of the text up to the last one that it has read.
  int64_t next() const { return next_; }
  KvSequence& kv() { return kv_; }

 private:
  int64_t end() const { return next_ - 1 + (d_ ? std::ssize(rows_) / d_ : 0); }

  KvSequence kv_;
  int64_t next_ = 1;         // the token to be read next; rows_ begin with the one before it
  int64_t d_ = 0;            // numbers of a row; 0: none has been seen
  std::vector<float> rows_;  // (tokens, d)
};

}  // namespace skald
