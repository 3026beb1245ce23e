// BERT's basic tokenization: cleans a text and cuts it into words, within which WordPiece works.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/normal_text.h"

namespace skald {

struct BertOptions {
  bool lowercase = true;
  bool strip_accents = true;  // marks are taken off letters
};

/// Words that lie one after the other in one text.
struct BertWords {
  std::string text;
  std::vector<size_t> ends;
};

/// Replaces `words` by the words of `text`: runs of characters between white space, with punctuation marks and ideographs on
/// their own. Controls and bytes that are no UTF-8 are dropped.
void cut_bert_words(std::string_view text, BertOptions options, BertWords& words);

/// The same without cutting: ideographs have spaces around them, and white space is spaces.
NormalText normal_bert_text(std::string_view text, BertOptions options);

}  // namespace skald
