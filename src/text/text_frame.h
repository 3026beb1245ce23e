// TextFrame: the special tokens around a text, or around and between the two of a pair, as Hugging Face's tokenizers put
// them.
#pragma once

#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace skald {

/// The tokens of a text, or of two texts that a model reads as a pair.
struct FramedText {
  std::vector<TokenId> tokens;
  int64_t second = -1;  // where the second text's tokens begin, if their type differs from the first one's; else -1
};

/// The tokens around the second text of a pair.
struct PairFrame {
  std::vector<TokenId> before, after;
  int64_t second = -1;  // as FramedText's
};

class TextFrame {
 public:
  explicit TextFrame(const Tokenizer& tokenizer);

  /// Frames a text with the tokens that the vocabulary asks for. Special-token text in it is text. `most` > 0: this many
  /// tokens at most, of which the text loses its last ones.
  FramedText one(std::string_view text, int64_t most = 0) const;
  /// The same, but special-token text counts where it is trusted.
  FramedText one(const MarkedText& text, int64_t most = 0) const;
  /// Two texts. `most` > 0: the longer one loses its last tokens first.
  FramedText pair(std::string_view first, std::string_view second, int64_t most = 0) const;
  /// Of a first text that is read with many second ones, whose own tokens encoded() gives.
  PairFrame around(std::string_view first) const;
  std::vector<TokenId> encoded(std::string_view text) const;

 private:
  using Ids = std::vector<TokenId>;
  FramedText framed(Ids ids, int64_t most) const;
  PairFrame around(const Ids& first) const;

  const Tokenizer& tokenizer_;
  Ids open_, between_, close_;
  bool typed_ = false;  // the second text of a pair has tokens of its own type
};

}  // namespace skald
