// One number among sentences that mean nothing.
#include <fmt/format.h>

#include "tools/eval/eval_suite.h"
#include "tools/eval/haystack.h"

namespace skald {

static EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const std::string word = text.some_words(1, rng)[0], number = draw_number(rng);
  const Haystack stack{
      .head = "A special magic number is hidden within the following text. Memorize it.\n",
      .tail = fmt::format("\nThe special magic number for {} is:", word),
      .question =
          fmt::format("\nWhat is the special magic number for {} in the text above? Answer with the number alone.", word),
      .needles = {fmt::format(" The special magic number for {} is: {}.", word, number)},
      .hay = noise()};
  return {.prompt = hide(text, stack, length, rng), .answers = {number}};
}

extern const EvalSuite suite_needle;
const EvalSuite suite_needle{.name = "needle", .what = "one number among sentences that mean nothing", .make = make};

}  // namespace skald
