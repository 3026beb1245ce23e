// Several numbers of one word.
#include <fmt/format.h>

#include "tools/eval/eval_suite.h"
#include "tools/eval/haystack.h"

namespace skald {

constexpr size_t kValues = 4;

static EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const std::string word = text.some_words(1, rng)[0];
  EvalCase out{.prompt = {}, .answers = {}, .n_generate = 48};
  Haystack stack{
      .head = "Some special magic numbers are hidden within the following text. Memorize them.\n",
      .tail = fmt::format("\nThe {} special magic numbers for {} are:", kValues, word),
      .question = fmt::format(
          "\nWhat are the {} special magic numbers for {} in the text above? Answer with the numbers alone.", kValues, word),
      .needles = {},
      .hay = noise()};
  for (size_t i = 0; i < kValues; ++i) {
    out.answers.push_back(draw_number(rng));
    stack.needles.push_back(fmt::format(" One of the special magic numbers for {} is: {}.", word, out.answers.back()));
  }
  out.prompt = hide(text, stack, length, rng);
  return out;
}

extern const EvalSuite suite_multivalue;
const EvalSuite suite_multivalue{.name = "multivalue", .what = "several numbers of one word", .make = make};

}  // namespace skald
