// The three words that a text of words with Zipf's frequencies has most often.
#include <cmath>
#include <vector>

#include "tools/eval/eval_suite.h"
#include "tools/eval/haystack.h"

namespace skald {

constexpr size_t kWanted = 3;
constexpr double kExponent = 2;

static EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const std::vector<std::string> words = text.some_words(100, rng);
  std::vector<double> up_to;  // summed frequencies
  for (size_t i = 0; i < words.size(); ++i)
    up_to.push_back((up_to.empty() ? 0 : up_to.back()) + std::pow(static_cast<double>(i + 1), -kExponent));
  const auto next = [&] {
    const double at = rng.uniform() * up_to.back();
    size_t i = 0;
    while (up_to[i] <= at && i + 1 < words.size()) ++i;
    return " " + words[i];
  };
  EvalCase out{.prompt = {}, .answers = {words.begin(), words.begin() + kWanted}, .n_generate = 24};
  const Haystack stack{
      .head = "Read the following coded text and track the frequency of each coded word.\n",
      .tail = "\nThe three most frequently appearing words in the above coded text are:",
      .question = "\nWhich three words appear most often in the coded text above? Answer with the words alone.",
      .needles = {},
      .hay = next};
  out.prompt = hide(text, stack, length, rng);
  return out;
}

extern const EvalSuite suite_frequentwords;
const EvalSuite suite_frequentwords{
    .name = "frequentwords", .what = "the three most frequent words of a text with Zipf's frequencies", .make = make};

}  // namespace skald
