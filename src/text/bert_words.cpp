#include "text/bert_words.h"

#include <utf8proc.h>

#include <span>

#include "base/interruption.h"
#include "text/lower_text.h"
#include "text/normal_form.h"
#include "text/utf8.h"

namespace skald {
namespace {

// The order of steps and the classes are those of BertNormalizer and BertPreTokenizer in the package `tokenizers`.

bool is_dropped(uint32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return false;
  if (code == 0 || code == 0xFFFD) return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO;
}

bool is_bert_space(uint32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

bool is_punctuation(uint32_t code) {
  if (code < 0x80)
    return code > 0x20 && code < 0x7F && !(code >= '0' && code <= '9') && !((code | 0x20) >= 'a' && (code | 0x20) <= 'z');
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_ideograph(uint32_t code) {
  return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) || (code >= 0x20000 && code <= 0x2A6DF) ||
         (code >= 0x2A700 && code <= 0x2B73F) || (code >= 0x2B740 && code <= 0x2B81F) ||
         (code >= 0x2B920 && code <= 0x2CEAF) ||  // from 0x2B820 in BERT's own code, but not in what models are used with
         (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x2F800 && code <= 0x2FA1F);
}

bool is_mark(int32_t code) { return utf8proc_category(code) == UTF8PROC_CATEGORY_MN; }

// The part of a character that is neither dropped nor white space.
class Parts {
 public:
  explicit Parts(BertOptions options) : options_(options) {}

  std::span<const int32_t> of(uint32_t code) {
    parts_.clear();
    if (options_.strip_accents) {
      append_decomposed(parts_, code);
      std::erase_if(parts_, is_mark);
    } else {
      parts_.push_back(static_cast<int32_t>(code));
    }
    return parts_;
  }
  void append(std::string& to, int32_t part) const {
    const auto code = static_cast<uint32_t>(part);
    options_.lowercase ? append_lower(to, code) : append_utf8(to, code);
  }

 private:
  BertOptions options_;
  std::vector<int32_t> parts_;
};

class Cutter {
 public:
  Cutter(BertOptions options, BertWords& words) : parts_(options), words_(words) {}

  void add(uint32_t code) {
    if (is_dropped(code)) return;
    if (is_bert_space(code)) return end_word();
    const bool alone = is_ideograph(code);
    if (alone) end_word();
    for (const int32_t part : parts_.of(code)) add_part(part);
    if (alone) end_word();
  }

  void end_word() {
    if (words_.text.size() > (words_.ends.empty() ? 0 : words_.ends.back())) words_.ends.push_back(words_.text.size());
  }

 private:
  void add_part(int32_t part) {
    const bool alone = is_punctuation(static_cast<uint32_t>(part));
    if (alone) end_word();
    parts_.append(words_.text, part);
    if (alone) end_word();
  }

  Parts parts_;
  BertWords& words_;
};

// Calls f(code, at) for the characters.
template <class F>
void for_each_code(std::string_view text, F&& f) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (step.kind == Utf8Kind::kChar) f(utf8_code(text, at, step.length), at);
    at += static_cast<size_t>(step.length);
  }
}

}  // namespace

void cut_bert_words(std::string_view text, BertOptions options, BertWords& words) {
  words.text.clear();
  words.ends.clear();
  Cutter cutter(options, words);
  for_each_code(text, [&](uint32_t code, size_t) {
    Interruption::point();
    cutter.add(code);
  });
  cutter.end_word();
}

NormalText normal_bert_text(std::string_view text, BertOptions options) {
  NormalText out;
  Parts parts(options);
  std::string normal;
  for_each_code(text, [&](uint32_t code, size_t at) {
    if (is_dropped(code)) return;
    normal.clear();
    if (is_bert_space(code)) {
      normal += ' ';
    } else {
      if (is_ideograph(code)) normal += ' ';
      for (const int32_t part : parts.of(code)) parts.append(normal, part);
      if (is_ideograph(code)) normal += ' ';
    }
    out.add(normal, at);
  });
  out.end(text.size());
  return out;
}

}  // namespace skald
