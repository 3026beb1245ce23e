// The variables that a chain of assignments gives one value.
#include <fmt/format.h>

#include "tools/eval/eval_suite.h"
#include "tools/eval/haystack.h"

namespace skald {

constexpr size_t kHops = 4;

static std::string draw_name(Rng& rng) {
  std::string name;
  for (int i = 0; i < 5; ++i) name += static_cast<char>('A' + draw(rng, 26));
  return name;
}

static EvalCase make(const EvalText& text, int64_t length, Rng& rng) {
  const std::string number = draw_number(rng);
  EvalCase out{.prompt = {}, .answers = {draw_name(rng)}, .n_generate = 48};
  Haystack stack{
      .head = "Memorize and track the chain of variable assignments hidden in the following text.\n",
      .tail = fmt::format("\nThe variables that are assigned the value {} are:", number),
      .question = fmt::format(
          "\nWhich variables are assigned the value {}, also by way of others? Answer with their names alone.", number),
      .needles = {fmt::format(" VAR {} = {}.", out.answers[0], number)},
      .hay = noise()};
  for (size_t i = 0; i < kHops; ++i) {
    out.answers.push_back(draw_name(rng));
    stack.needles.push_back(fmt::format(" VAR {} = VAR {}.", out.answers[i + 1], out.answers[i]));
  }
  out.prompt = hide(text, stack, length, rng);
  return out;
}

extern const EvalSuite suite_variables;
const EvalSuite suite_variables{
    .name = "variables", .what = "the variables that a chain of assignments gives one value", .make = make};

}  // namespace skald
