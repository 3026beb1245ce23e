// The words that followed a stretch of random words that comes again.
#include <string_view>

#include "base/error.h"
#include "tools/eval/eval_suite.h"

namespace skald {

namespace {

constexpr size_t kShown = 16, kWanted = 8;

// The texts around the words in a chat.
constexpr std::string_view kHead = "Memorize the following list of words.\n",
                           kQuestion = "\nIn the list above, where it reads",
                           kWish = ", which 8 words come next? Answer with these words alone, in their order.";

EvalText::Tokens encoded(const EvalText& text, std::string_view of) {
  return text.in_chat() ? text.encode(of) : EvalText::Tokens();
}

void append(EvalText::Tokens& to, const EvalText::Tokens& tokens) { to.insert(to.end(), tokens.begin(), tokens.end()); }

EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const std::vector<std::string> words = text.some_words(100, rng);
  const EvalText::Tokens question = encoded(text, kQuestion), wish = encoded(text, kWish);
  EvalCase out{.prompt = text.begin(), .answers = {}, .in_order = true, .n_generate = kWanted + 4};
  append(out.prompt, encoded(text, kHead));
  const int64_t all = length - std::ssize(out.prompt) - std::ssize(question) - std::ssize(wish),
                first = all - static_cast<int64_t>(kShown);
  if (first < static_cast<int64_t>(4 * kShown)) fail(Errc::kBadInput, "eval: {} tokens are too few for this task", length);
  // Each word is one token.
  std::vector<size_t> drawn;
  for (int64_t i = 0; i < first; ++i) drawn.push_back(draw(rng, words.size()));
  const size_t at = draw(rng, drawn.size() - kShown - kWanted);
  for (size_t i = 0; i < kShown; ++i) drawn.push_back(drawn[at + i]);
  for (size_t i = 0; i < kWanted; ++i) out.answers.push_back(words[drawn[at + kShown + i]]);
  std::string list, shown;
  for (size_t i = 0; i < drawn.size(); ++i) (i < drawn.size() - kShown ? list : shown) += " " + words[drawn[i]];
  // A tokenizer that puts words together otherwise at the beginning of a text makes a few more.
  const EvalText::Tokens tokens = text.encode(text.in_chat() ? list : list + shown);
  const int64_t room = text.in_chat() ? first : all;
  out.prompt.insert(out.prompt.end(), tokens.end() - std::min(std::ssize(tokens), room), tokens.end());
  append(out.prompt, question);
  append(out.prompt, encoded(text, shown));
  append(out.prompt, wish);
  return out;
}

}  // namespace

extern const EvalSuite suite_copy;
const EvalSuite suite_copy{.name = "copy", .what = "what followed a stretch of random words that comes again", .make = make};

}  // namespace skald
