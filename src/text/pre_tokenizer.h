// PreTokenizer: cuts text into the words within which byte-level BPE merges, with the regular expressions of the model.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "text/pre_tokenizer_table.h"

struct pcre2_real_code_8;

namespace skald {

class PreTokenizer {
 public:
  explicit PreTokenizer(const PreTokenizerSpec& spec);

  struct Word {
    size_t begin, end;  // bytes of the text
  };

  /// Replaces `words` by the words of `text`, in order and without gaps; `text` is well-formed UTF-8. Throws kBadInput when
  /// an expression gives up on it. May be called from several threads at once.
  void split(std::string_view text, std::vector<Word>& words) const;

 private:
  struct CodeDeleter {
    void operator()(pcre2_real_code_8* code) const;
  };
  using Code = std::unique_ptr<pcre2_real_code_8, CodeDeleter>;

  std::vector<Code> codes_;
};

}  // namespace skald
