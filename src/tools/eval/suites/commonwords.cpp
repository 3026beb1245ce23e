// The ten words that a list has most often.
#include <fmt/format.h>

#include <utility>

#include "tools/eval/eval_suite.h"
#include "tools/eval/haystack.h"

namespace skald {

constexpr size_t kCommon = 10;

// Each of the ten common words comes nine times as often as one of the ninety others.
static EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const std::vector<std::string> words = text.some_words(100, rng);
  EvalCase out{.prompt = {}, .answers = {words.begin(), words.begin() + kCommon}, .n_generate = 48};
  const auto next = [&, i = size_t{0}]() mutable {
    const bool common = rng.uniform() < 0.5;
    const std::string& word = words[common ? draw(rng, kCommon) : kCommon + draw(rng, words.size() - kCommon)];
    return fmt::format(" {}. {}", ++i, word);
  };
  const Haystack stack{.head = "Below is a numbered list of words. Memorize the ones that appear most often.\n",
                       .tail = "\nThe 10 most common words in the above list are:",
                       .question = "\nWhat are the 10 most common words in the list above? Answer with the words alone.",
                       .needles = {},
                       .hay = next};
  out.prompt = hide(text, stack, length, rng);
  return out;
}

extern const EvalSuite suite_commonwords;
const EvalSuite suite_commonwords{.name = "commonwords", .what = "the ten words that a list has most often", .make = make};

}  // namespace skald
