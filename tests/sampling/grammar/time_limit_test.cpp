#include "sampling/grammar/time_limit.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "base/error.h"
#include "sampling/grammar/pushdown_program.h"
#include "sampling/grammar/read_grammar.h"

namespace skald::time_limit_test {
namespace {

// Strings of numbers that share nothing.
std::string large_enum() {
  std::string text = R"({"enum":[)";
  for (int i = 0; i < 20'000; ++i) text += '"' + std::to_string(i * 7919) + "\",";
  return text + "0]}";
}

GrammarParams large_schema() { return {.kind = GrammarParams::Kind::kJsonSchema, .text = large_enum()}; }

TEST(TimeLimitTest, EndsAGrammarThatTakesTooLong) {
  try {
    read_grammar(large_schema(), {}, {}, TimeLimit(1e-6));
    FAIL() << "it had no time";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_EQ(std::string(e.what()),
              "JSON schema: enum at the root: the grammar is too large: it takes more than 1e-06 s to compile");
  }
}

// Makes nodes until the thread has worked so long that a limit of `seconds` is over.
void work(RegexSet& regexes, double seconds) {
  const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double end = now() + 2 * seconds;
  for (int i = 0; i < 2000 || now() < end; ++i) regexes.literal("text " + std::to_string(i % 5000));
}

TEST(TimeLimitTest, IsOfCompilingAlone) {
  constexpr double kSeconds = 0.05;
  Grammar grammar = read_grammar({.kind = GrammarParams::Kind::kRegex, .text = "[a-z]{1,400}"}, {}, {}, TimeLimit(kSeconds));
  PushdownProgram program(grammar);
  EXPECT_NO_THROW(work(program.regexes(), kSeconds));
  EXPECT_THROW(work(grammar.regexes, kSeconds), Error) << "which is not compiled yet";
}

TEST(TimeLimitTest, WithoutALimitThereIsTimeForAll) {
  EXPECT_NO_THROW(read_grammar(large_schema()));
  EXPECT_NO_THROW(read_grammar(large_schema(), {}, {}, TimeLimit(600)));
}

}  // namespace
}  // namespace skald::time_limit_test
