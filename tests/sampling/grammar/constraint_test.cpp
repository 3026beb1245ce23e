// Constraints: copies, ends, forced bytes, and grammars that are refused.
#include "sampling/constraint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sampling/grammar/gbnf.h"
#include "sampling/grammar/read_grammar.h"
#include "tests/support/errors.h"

namespace skald::constraint_test {
namespace {

using testing::HasSubstr;

constexpr auto kGbnf = GrammarParams::Kind::kGbnf;

std::shared_ptr<CompiledGrammar> compiled(const std::string& gbnf,
                                          std::shared_ptr<const GrammarVocabulary> vocabulary = nullptr) {
  return std::make_shared<CompiledGrammar>(read_grammar({.kind = kGbnf, .text = gbnf}), std::move(vocabulary));
}

bool takes(const std::shared_ptr<CompiledGrammar>& grammar, const std::string& text) {
  Constraint at(grammar);
  return at.accept_text(text) == text.size() && at.may_stop();
}

std::string error_of(const std::string& gbnf) {
  return test::error_of([&] { compiled(gbnf); }).what();
}

TEST(Constraint, CopiesGoOnApart) {
  Constraint a(compiled("root ::= \"yes\" | \"yet\""));
  EXPECT_EQ(a.accept_text("yex"), 2u);  // nothing was taken
  EXPECT_EQ(a.accept_text("ye"), 2u);
  const Constraint before = a;
  Constraint b = a;
  EXPECT_EQ(a.accept_text("s"), 1u);
  EXPECT_TRUE(a.is_over());
  EXPECT_EQ(b.accept_text("t"), 1u);
  EXPECT_TRUE(b.may_stop());
  EXPECT_FALSE(before.may_stop());
}

TEST(Constraint, AllowsTheEndWhereTheTextMayEnd) {
  const auto vocabulary =
      std::make_shared<const GrammarVocabulary>(std::vector<std::string>{"a", "<end>", "aa"}, std::vector<TokenId>{1});
  Constraint at(compiled("root ::= \"a\"+", vocabulary));
  std::vector<uint32_t> mask(1);
  at.allowed(mask);
  EXPECT_EQ(mask[0], 0b101u);
  EXPECT_FALSE(at.accept(1));
  EXPECT_TRUE(at.accept(2));
  at.allowed(mask);
  EXPECT_EQ(mask[0], 0b111u);
  at.allowed_texts(mask);
  EXPECT_EQ(mask[0], 0b101u);
  EXPECT_TRUE(at.accept(1));
  EXPECT_TRUE(at.is_over());
  EXPECT_FALSE(at.accept(0));
  EXPECT_FALSE(at.accept(17));
  at.allowed(mask);
  EXPECT_EQ(mask[0], 0u);
}

TEST(Constraint, TellsTheBytesThatMustFollow) {
  Constraint at(compiled("root ::= \"{\\\"name\\\": \" [a-z]+ \" é}\""));
  EXPECT_EQ(at.forced(), "{\"name\": ");
  EXPECT_EQ(at.forced(3), "{\"n");
  EXPECT_EQ(at.accept_text("{\"name\": x"), 10u);
  EXPECT_EQ(at.forced(), "");
  EXPECT_EQ(at.accept_text(" "), 1u);
  EXPECT_EQ(at.forced(), "é}");
  EXPECT_EQ(Constraint(compiled("root ::= \"a\" \"b\"?")).forced(), "a");  // it may end there
}

TEST(Constraint, CountsWithoutWritingOut) {
  const auto grammar = compiled("root ::= (\"(\" root \")\"){0,10000} \"x\"{3,}");
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "(xxx)";
  EXPECT_TRUE(takes(grammar, text + "xxxx"));
  EXPECT_FALSE(takes(grammar, text + "xx"));
  const auto three = compiled("root ::= (\"(\" root \")\"){2,3} | \"x\"");
  EXPECT_FALSE(takes(three, "(x)"));
  EXPECT_TRUE(takes(three, "(x)(x)"));
  EXPECT_TRUE(takes(three, "(x)(x)((x)(x))"));
  EXPECT_FALSE(takes(three, "(x)(x)(x)(x)"));
}

TEST(Constraint, FollowsDeepAndRightRecursiveTexts) {
  const auto nested = compiled("root ::= \"(\" root \")\" | \"\"");
  EXPECT_TRUE(takes(nested, std::string(20'000, '(') + std::string(20'000, ')')));
  const auto list = compiled("root ::= \"x\" (\",\" root)?");
  std::string text = "x";
  for (int i = 0; i < 50'000; ++i) text += ",x";
  EXPECT_TRUE(takes(list, text));
}

TEST(Grammar, IsRefusedByWhatIsWrongWithIt) {
  for (const auto& [gbnf, says] : std::vector<std::pair<std::string, std::string>>{
           {"start ::= \"a\"", "root"},
           {"root ::= x", "\"x\""},
           {"root ::= root", "no text fits"},
           {"root ::= root \"a\" | \"b\"", "left recursion"},
           {"root ::= x root \"a\" | \"b\"\nx ::= \"y\"?", "left recursion"},
           {"root ::= a\na ::= b \"x\" | \"y\"\nb ::= a", "\"a\" -> \"b\" -> \"a\""},
           {"root ::= [abc", "line 1"},
           {"root ::= \"a\"\nx = \"b\"", "line 2"},
           {"root ::= (\"a\"", "not closed"},
           {"root ::= \"a\"{3,1}", "at most"},
           {"root ::= \"a\"{99999999999999999999}", "too often"},
           {"root ::= \"a\"{x}", "number"},
           {"root ::= \"\\x4\"", "hexadecimal"},
           {"root ::= \"\\q\"", "escape"},
           {"root ::= \"\\UFFFFFFFF\"", "no character"},
           {"root ::= <[12]>", "token"},
           {"root ::= !<think>", "token"},
           {"root ::= * \"a\"", "nothing to repeat"},
           {"root ::= [z-a]", "ends before"},
           {"root ::= \"a\" ) \"b\"", "belongs to no rule"},
           {"root ::= " + std::string(50'000, '('), "deeper"},
       }) {
    EXPECT_THAT(error_of(gbnf), HasSubstr(says)) << gbnf.substr(0, 60);
  }
}

TEST(Grammar, LeavesOutWhatCanNeverBeFinished) {
  const auto grammar = compiled("root ::= \"a\" dead | \"b\" live\ndead ::= \"x\" dead\nlive ::= \"y\" | dead?");
  EXPECT_EQ(Constraint(grammar).accept_text("ax"), 0u);
  EXPECT_TRUE(takes(grammar, "by"));
  EXPECT_TRUE(takes(grammar, "b"));
}

TEST(Grammar, ReadsGbnfAsItIsWritten) {
  const auto grammar = compiled(
      "# numbers\nroot ::= # the text\n  (\n item # one\n | \"x\"\n)+ tail\nitem ::= [0-9a\\-\\]] |\n  \"\\u00e9\" "
      "\"\\t\"\ntail ::= .{1,2} \"\"\r\n");
  EXPECT_TRUE(takes(grammar, "7-]é\tx\n"));
  EXPECT_TRUE(takes(grammar, "a日本"));
  EXPECT_FALSE(takes(grammar, "b"));
}

}  // namespace
}  // namespace skald::constraint_test
