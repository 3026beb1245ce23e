// SentenceNormalizer: SentencePiece's changes to a text before it looks for pieces.
#pragma once

#include <string>
#include <string_view>

#include "base/meta.h"
#include "text/charsmap.h"
#include "text/normal_text.h"

namespace skald {

class SentenceNormalizer {
 public:
  /// Reads tokenizer.ggml.precompiled_charsmap, .add_space_prefix and .remove_extra_whitespaces (off where absent); throws
  /// kBadFile naming the key. `keep_broken`: bytes that are no UTF-8 stay as they are rather than become U+FFFD.
  SentenceNormalizer(const Meta& meta, bool keep_broken);

  /// Returns the text with its characters replaced, its spaces as pieces spell them, and a space before it. Throws kBadInput
  /// where it becomes longer than tokenizers can take.
  std::string normalize(std::string_view text) const;
  /// Returns the text with its characters replaced, and no more.
  NormalText characters(std::string_view text) const;

 private:
  struct Step {
    size_t length;            // bytes of the text,
    std::string_view result;  // and their new text
  };
  Step step(std::string_view rest) const;

  Charsmap charsmap_;
  bool keep_broken_, add_prefix_, merge_spaces_;
};

}  // namespace skald
