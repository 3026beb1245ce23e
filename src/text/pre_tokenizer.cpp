#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/pre_tokenizer.h"

#include <pcre2.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/interruption.h"
#include "text/pcre2_message.h"
#include "text/regex_dialect.h"

namespace skald {
namespace {

// One thread's place to match: results and limits.
class Match {
 public:
  Match() : data_(pcre2_match_data_create_8(1, nullptr)), context_(pcre2_match_context_create_8(nullptr)) {
    if (!data_ || !context_) fail(Errc::kNoMemory, "regular expressions");
  }

  // Finds the first match at or after `from`; false when there is none.
  bool find(const pcre2_code_8* code, std::string_view text, size_t from) {
    const auto* subject = reinterpret_cast<PCRE2_SPTR8>(text.data());
    // The table's expressions take time linear in the text, the limit is for cases that we did not think of.
    const size_t limit = 10'000'000 + 64 * text.size();
    pcre2_set_match_limit_8(context_.get(),
                            static_cast<uint32_t>(std::min<size_t>(limit, std::numeric_limits<uint32_t>::max())));
    int rc = pcre2_match_8(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK, data_.get(), context_.get());
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
      rc = pcre2_match_8(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data_.get(), context_.get());
    if (rc == PCRE2_ERROR_NOMATCH) return false;
    if (rc < 0) fail(Errc::kBadInput, "cutting the text into words: {}", pcre2_message(rc));
    return true;
  }
  size_t begin() const { return pcre2_get_ovector_pointer_8(data_.get())[0]; }
  size_t end() const { return pcre2_get_ovector_pointer_8(data_.get())[1]; }

 private:
  struct Free {
    void operator()(pcre2_match_data_8* p) const { pcre2_match_data_free_8(p); }
    void operator()(pcre2_match_context_8* p) const { pcre2_match_context_free_8(p); }
  };
  std::unique_ptr<pcre2_match_data_8, Free> data_;
  std::unique_ptr<pcre2_match_context_8, Free> context_;
};

// Appends the matches and the gaps between them, in order. Each piece is a text of its own: an expression sees nothing
// around it.
void split_piece(Match& match, const pcre2_code_8* code, std::string_view text, PreTokenizer::Word piece,
                 std::vector<PreTokenizer::Word>& out) {
  const std::string_view subject = text.substr(piece.begin, piece.end - piece.begin);
  size_t at = 0;
  while (at < subject.size() && match.find(code, subject, at)) {
    const size_t begin = match.begin(), end = match.end();
    Interruption::point(end - at);
    SKALD_ASSERT(end > begin);  // no expression of the table matches nothing
    if (begin > at) out.push_back({piece.begin + at, piece.begin + begin});
    out.push_back({piece.begin + begin, piece.begin + end});
    at = end;
  }
  if (at < subject.size()) out.push_back({piece.begin + at, piece.end});
}

}  // namespace

void PreTokenizer::CodeDeleter::operator()(pcre2_code_8* code) const { pcre2_code_free_8(code); }

PreTokenizer::PreTokenizer(const PreTokenizerSpec& spec) {
  for (std::string_view pattern : spec.patterns) {
    const std::string translated = to_pcre2(pattern);
    int error = 0;
    PCRE2_SIZE offset = 0;
    codes_.emplace_back(pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(translated.data()), translated.size(),
                                        PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY, &error, &offset, nullptr));
    if (!codes_.back()) fail(Errc::kInternal, "expression {} at {}: {}", translated, offset, pcre2_message(error));
    pcre2_jit_compile_8(codes_.back().get(), PCRE2_JIT_COMPLETE);  // where there is no JIT, matching is slower, that is all
  }
}

void PreTokenizer::split(std::string_view text, std::vector<Word>& words) const {
  words.clear();
  if (text.empty()) return;
  words.push_back({0, text.size()});
  Match match;
  std::vector<Word> former;
  for (const Code& code : codes_) {
    former.swap(words);
    words.clear();
    for (const Word& piece : former) split_piece(match, code.get(), text, piece, words);
  }
}

}  // namespace skald
