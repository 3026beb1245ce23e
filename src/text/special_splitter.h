// SpecialSplitter: cuts a text at its special tokens, by the rules that they have.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/normal_text.h"
#include "text/special_matcher.h"
#include "text/vocab.h"

namespace skald {

struct TextFragment {
  std::string_view text;  // ordinary text; empty only where it begins; or
  TokenId token = -1;     // a special token, when not negative
  bool begins = true;     // of text: the tokenizer's tokens before a text come before this one
};

class SpecialSplitter {
 public:
  /// Changes a text as the tokenizer does before it looks for pieces.
  using Normalize = std::function<NormalText(std::string_view)>;
  /// `vocab` must outlive it.
  SpecialSplitter(const Vocab& vocab, Normalize normalize);

  /// Control tokens are found if `parse_special`, user-defined ones always, where `takes` (if it is given) accepts them. A
  /// text's normalized tokens are looked for between the others, as the package `tokenizers` has it.
  std::vector<TextFragment> split(std::string_view text, bool parse_special, const SpecialMatcher::Takes& takes) const;

 private:
  // Those that are found in the text as it is, and in the normalized one.
  struct Matchers {
    SpecialMatcher plain, normalized;
  };
  struct Span {
    size_t begin, end;            // with the white space that belongs to it
    size_t name_begin, name_end;  // without
    TokenId id;
    bool has_space = false;  // that normalizing did not put there
  };
  std::vector<Span> find_all(std::string_view text, const SpecialMatcher& matcher, const SpecialMatcher::Takes& takes,
                             bool after_space) const;
  std::vector<Span> find_normalized(std::string_view fragment, size_t at, const SpecialMatcher& matcher,
                                    const SpecialMatcher::Takes& takes) const;

  const Vocab& vocab_;
  Normalize normalize_;
  std::deque<std::string> spellings_;  // of normalized tokens
  Matchers all_, always_;
  bool any_normalized_ = false;
};

}  // namespace skald
