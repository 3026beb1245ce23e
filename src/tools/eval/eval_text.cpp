#include "tools/eval/eval_text.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

constexpr size_t kFewestWords = 100, kMostWords = 4000;

bool is_word(std::string_view piece) {
  if (piece.size() < 5 || piece.size() > 12 || piece[0] != ' ') return false;
  return std::ranges::all_of(piece.substr(1), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

EvalText::EvalText(const LoadedModel& model, const std::optional<std::string>& given, Form form)
    : tokenizer_(model.tokenizer()), form_(form) {
  if (given) given_ = encode(*given);
  const Vocab& vocab = tokenizer_.vocab();
  if (vocab.add_bos && vocab.bos && !in_chat()) begin_ = {*vocab.bos};
  for (TokenId id = 0; id < vocab.size() && words_.size() < kMostWords; ++id) {
    const std::string piece(tokenizer_.text_of(id, false));
    if (!is_word(piece)) continue;
    const std::string word = piece.substr(1);
    if (encode("." + piece) == [&] {
          Tokens t = encode(".");
          t.push_back(id);
          return t;
        }())
      words_.push_back(word);
  }
}

EvalText::Tokens EvalText::encode(std::string_view text) const {
  return tokenizer_.encode(text, {.add_special = false, .parse_special = false});
}

std::vector<std::string> EvalText::some_words(size_t n, Rng& rng) const {
  if (const size_t want = std::max(n, kFewestWords); want > words_.size())
    fail(Errc::kUnsupported, "eval: the vocabulary has {} words of one token, a task of this length wants {}", words_.size(),
         want);
  std::vector<std::string> out = words_;
  for (size_t i = 0; i < n; ++i) std::swap(out[i], out[i + draw(rng, out.size() - i)]);
  out.resize(n);
  return out;
}

size_t draw(Rng& rng, size_t n) { return static_cast<size_t>(rng.uniform() * static_cast<double>(n)); }

std::string draw_number(Rng& rng) { return std::to_string(1000000 + draw(rng, 9000000)); }

}  // namespace skald
