#include "text/detokenizer.h"

#include "text/utf8.h"

namespace skald {
namespace {

// How many bytes at the end of `bytes` begin a character that more bytes could complete.
size_t unfinished_tail(std::string_view bytes) {
  for (size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const size_t at = bytes.size() - back;
    const Utf8Step step = utf8_step(bytes, at);
    if (step.kind == Utf8Kind::kUnfinished && static_cast<size_t>(step.length) == back) return back;
  }
  return 0;
}

}  // namespace

Detokenizer::Detokenizer(const Tokenizer& tokenizer, bool special, bool continues)
    : tokenizer_(tokenizer), special_(special), at_start_(!continues && tokenizer.adds_first_space()) {}

std::string_view Detokenizer::push(TokenId id) {
  ready_.clear();
  const std::string_view piece = tokenizer_.text_of(id, special_);
  if (piece.empty()) return ready_;
  pending_.append(piece, at_start_ && piece[0] == ' ' ? 1 : 0);
  at_start_ = false;
  const size_t whole = pending_.size() - unfinished_tail(pending_);
  append_valid_utf8(ready_, std::string_view(pending_).substr(0, whole));
  pending_.erase(0, whole);
  return ready_;
}

std::string_view Detokenizer::flush() {
  ready_.clear();
  append_valid_utf8(ready_, pending_);
  pending_.clear();
  return ready_;
}

}  // namespace skald
