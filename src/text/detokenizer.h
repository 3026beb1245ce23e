// Detokenizer: streams text out of token ids without ever splitting a UTF-8 character.
#pragma once

#include <string>
#include <string_view>

#include "skald/types.h"
#include "text/tokenizer.h"

namespace skald {

class Detokenizer {
 public:
  /// `special`: special tokens appear by name instead of being left out. `continues`: the text goes on after other text (an
  /// answer after its prompt), so that the space that encoding puts at a text's start stays. `tokenizer` must outlive this.
  explicit Detokenizer(const Tokenizer& tokenizer, bool special = false, bool continues = false);

  /// Returns the text that is complete after this token (maybe empty); valid until the next call. Throws kBadInput for an id
  /// outside the vocabulary.
  std::string_view push(TokenId id);
  /// Returns the unfinished character that is still held back as U+FFFD. Pushing may go on afterwards.
  std::string_view flush();

 private:
  const Tokenizer& tokenizer_;
  bool special_;
  bool at_start_;        // no text yet, and a first space is to be dropped
  std::string pending_;  // the beginning of a character: at most 3 bytes between calls
  std::string ready_;
};

}  // namespace skald
