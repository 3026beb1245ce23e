// One of many numbers, by its word.
#include <fmt/format.h>

#include "tools/eval/eval_suite.h"
#include "tools/eval/haystack.h"

namespace skald {

static std::string sentence(const std::string& word, const std::string& number) {
  return fmt::format(" The special magic number for {} is: {}.", word, number);
}

static EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  // Words come again where a text is longer than there are words, but for the first.
  const std::vector<std::string> words = text.some_words(100, rng);
  const std::string number = draw_number(rng);
  const Haystack stack{
      .head = "Special magic numbers are hidden within the following text. Memorize them.\n",
      .tail = fmt::format("\nThe special magic number for {} is:", words[0]),
      .question = fmt::format("\nWhat is the special magic number for {} in the text above? Answer with the number alone.",
                              words[0]),
      .needles = {sentence(words[0], number)},
      .hay = [&] { return sentence(words[1 + draw(rng, words.size() - 1)], draw_number(rng)); }};
  return {.prompt = hide(text, stack, length, rng), .answers = {number}};
}

extern const EvalSuite suite_multikey;
const EvalSuite suite_multikey{.name = "multikey", .what = "one of many numbers, by its word", .make = make};

}  // namespace skald
