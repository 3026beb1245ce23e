#include "sampling/grammar/time_limit.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "sampling/constraint.h"
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

TEST(TimeLimitTest, IsOverOnceTheGrammarIsCompiled) {
  PushdownProgram program(
      read_grammar({.kind = GrammarParams::Kind::kRegex, .text = "[a-z]{1,400}"}, {}, {}, TimeLimit(60)));
  RegexSet& regexes = program.regexes();
  regexes.set_limit(TimeLimit(1e-6));
  const auto work = [&] {
    for (int i = 0; i < 2000; ++i) regexes.literal("text " + std::to_string(i));
  };
  EXPECT_THROW(work(), Error);
  const PushdownProgram copy(
      read_grammar({.kind = GrammarParams::Kind::kGbnf, .text = "root ::= \"a\" root?"}, {}, {}, TimeLimit(60)));
  EXPECT_EQ(copy.rules(), 1u);
}

TEST(TimeLimitTest, WithoutALimitThereIsTimeForAll) {
  EXPECT_NO_THROW(read_grammar(large_schema()));
  EXPECT_NO_THROW(read_grammar(large_schema(), {}, {}, TimeLimit(600)));
}

}  // namespace
}  // namespace skald::time_limit_test
