// The continuation of a long text: of the user's, or of made-up facts that come again.
#include <fmt/format.h>

#include "base/error.h"
#include "tools/eval/eval_suite.h"
#include "tools/eval/haystack.h"

namespace skald {
namespace {

constexpr int64_t kPredicted = 64;  // tokens after the prompt
static_assert(kPredicted <= kMostAnswers);
constexpr size_t kWords = 100;

/// Sentences that give two words a number.
class Facts {
 public:
  Facts(const EvalText& text, Rng& rng) : words_(text.some_words(kWords, rng)), rng_(rng), hay_(noise()) {}

  /// Half of them are new facts; the others mean nothing, or come again.
  std::string next() {
    const double kind = rng_.uniform();
    if (kind < 0.25) return hay_();
    if (kind < 0.5 && !facts_.empty()) return again();
    facts_.push_back(fmt::format(" The special magic number for {} {} is: {}.", word(), word(), draw_number(rng_)));
    return facts_.back();
  }
  /// Returns a fact from anywhere before; there is one.
  std::string again() { return facts_[draw(rng_, facts_.size())]; }
  bool any() const { return !facts_.empty(); }

 private:
  const std::string& word() { return words_[draw(rng_, words_.size())]; }

  std::vector<std::string> words_, facts_;
  Rng& rng_;
  std::function<std::string()> hay_;
};

EvalText::Tokens made_up(const EvalText& text, int64_t length, Rng& rng) {
  if (length < kPredicted) fail(Errc::kBadInput, "eval: {} tokens are too few for this task", length);
  Facts facts(text, rng);
  EvalText::Tokens out = text.begin();
  while (std::ssize(out) < length + kPredicted) {
    const bool ask = std::ssize(out) >= length && facts.any();
    const EvalText::Tokens sentence = text.encode(ask ? facts.again() : facts.next());
    out.insert(out.end(), sentence.begin(), sentence.end());
  }
  return out;
}

EvalText::Tokens stretch(const EvalText& text, const EvalText::Tokens& given, int64_t length, Rng& rng) {
  EvalText::Tokens out = text.begin();
  const int64_t want = length + kPredicted - std::ssize(out);
  if (std::ssize(given) < want)
    fail(Errc::kBadInput, "eval: the text has {} tokens, but {} before the {} that are predicted take {}", given.size(),
         length, kPredicted, want);
  const auto at = given.begin() + static_cast<int64_t>(draw(rng, given.size() - static_cast<size_t>(want) + 1));
  out.insert(out.end(), at, at + want);
  return out;
}

EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const EvalText::Tokens all = text.given() ? stretch(text, *text.given(), length, rng) : made_up(text, length, rng);
  return {.prompt = {all.begin(), all.begin() + length},
          .answers = {},
          .follows = {all.begin() + length, all.begin() + length + kPredicted}};
}

}  // namespace

extern const EvalSuite suite_perplexity;
const EvalSuite suite_perplexity{
    .name = "perplexity", .what = "what follows a text, as loss and divergence", .predicts = true, .make = make};

}  // namespace skald
