// What followed a stretch of random words that comes again.
#include "base/error.h"
#include "tools/eval/eval_suite.h"

namespace skald {

constexpr size_t kShown = 16, kWanted = 8;

static EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const std::vector<std::string> words = text.some_words(100, rng);
  EvalCase out{.prompt = text.begin(), .answers = {}, .in_order = true, .n_generate = kWanted + 4};
  const int64_t all = length - std::ssize(out.prompt), first = all - static_cast<int64_t>(kShown);
  if (first < static_cast<int64_t>(4 * kShown)) fail(Errc::kBadInput, "eval: {} tokens are too few for this task", length);
  // Each word is one token.
  std::vector<size_t> drawn;
  for (int64_t i = 0; i < first; ++i) drawn.push_back(draw(rng, words.size()));
  const size_t at = draw(rng, drawn.size() - kShown - kWanted);
  for (size_t i = 0; i < kShown; ++i) drawn.push_back(drawn[at + i]);
  for (size_t i = 0; i < kWanted; ++i) out.answers.push_back(words[drawn[at + kShown + i]]);
  std::string prompt;
  for (const size_t i : drawn) prompt += " " + words[i];
  const EvalText::Tokens tokens = text.encode(prompt);
  // A tokenizer that puts words together otherwise at the beginning of a text makes a few more.
  out.prompt.insert(out.prompt.end(), tokens.end() - std::min(std::ssize(tokens), all), tokens.end());
  return out;
}

extern const EvalSuite suite_copy;
const EvalSuite suite_copy{.name = "copy", .what = "what followed a stretch of random words that comes again", .make = make};

}  // namespace skald
