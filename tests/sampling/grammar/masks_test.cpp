// Masks: random grammars against a slow judge that is asked about each token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sampling/constraint.h"
#include "sampling/grammar/gbnf.h"
#include "sampling/grammar/read_grammar.h"
#include "tests/sampling/grammar/slow_grammar.h"
#include "tests/support/errors.h"

namespace skald::masks_test {
namespace {

// Token 0 has no text, tokens 1 and 2 the same.
std::shared_ptr<const GrammarVocabulary> abc() {
  std::vector<std::string> texts{"", "a", "a", "b", "c"};
  for (const char* more : {"ab", "ba", "bb", "cc", "abc", "cab", "aaa", "bca", "abab", "ccba", "aabbc", "d", "ad"})
    texts.emplace_back(more);
  return std::make_shared<const GrammarVocabulary>(std::move(texts));
}

std::vector<bool> allowed(const Constraint& at, const GrammarVocabulary& vocabulary) {
  std::vector<uint32_t> mask(vocabulary.words(), ~0u);
  at.allowed_texts(mask);
  std::vector<bool> out;
  for (size_t i = 0; i < vocabulary.tokens(); ++i) out.push_back(mask[i / 32] >> i % 32 & 1);
  return out;
}

// Walks through sentences token by token; at each step the mask must be the judge's.
void compare(const test::SlowGrammar& slow, Grammar grammar, unsigned seed) {
  const auto vocabulary = abc();
  std::shared_ptr<CompiledGrammar> compiled;
  try {
    compiled = std::make_shared<CompiledGrammar>(std::move(grammar), vocabulary);
  } catch (const Error& e) {
    if (e.code() == Errc::kUnsupported) return;  // left recursion
    ASSERT_FALSE(slow.judge("").begins) << "seed " << seed << ": " << e.what();
    return;
  }
  std::mt19937 draw(seed);
  for (int walk = 0; walk < 3; ++walk) {
    Constraint at(compiled);
    std::string text;
    for (int step = 0; step < 5; ++step) {
      const std::vector<bool> mask = allowed(at, *vocabulary);
      std::vector<TokenId> next;
      for (size_t i = 0; i < mask.size(); ++i) {
        const std::string& token = vocabulary->text(static_cast<TokenId>(i));
        const bool want = !token.empty() && slow.judge(text + token).begins;
        ASSERT_EQ(mask[i], want) << "seed " << seed << ": \"" << token << "\" after \"" << text << "\" of\n" << slow.gbnf();
        Constraint copy = at;
        ASSERT_EQ(copy.accept(static_cast<TokenId>(i)), want);
        if (want) next.push_back(static_cast<TokenId>(i));
      }
      ASSERT_EQ(at.may_stop(), slow.judge(text).whole) << "seed " << seed << ": after \"" << text << "\" of\n"
                                                       << slow.gbnf();
      ASSERT_EQ(at.is_over(), next.empty());
      if (next.empty()) break;
      const TokenId token = next[draw() % next.size()];
      ASSERT_TRUE(at.accept(token));
      text += vocabulary->text(token);
    }
  }
}

TEST(Masks, AreExactForRandomGrammars) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    const test::SlowGrammar slow = test::SlowGrammar::random(seed);
    compare(slow, read_grammar({.kind = GrammarParams::Kind::kGbnf, .text = slow.gbnf()}), seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Masks, AreExactForRandomGrammarsWhoseRegularPartsStayRules) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    const test::SlowGrammar slow = test::SlowGrammar::random(seed);
    Grammar grammar;
    add_gbnf(grammar, slow.gbnf());
    compare(slow, std::move(grammar), seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Every token of a text, and the grammar's steps over it, byte by byte.
TEST(Masks, OfALargeVocabularyAreWhatTheAutomatonTakes) {
  std::vector<std::string> texts;
  std::mt19937 draw(7);
  const std::vector<std::string> units = {"a", "b", "Z",  "7",    " ",    "_",  ",", "\"", "\\",
                                          "n", "é", "日", "\xE6", "\x97", "\n", "=", "{",  ":"};
  for (int i = 0; i < 3000; ++i) {
    std::string& text = texts.emplace_back();
    const size_t n = 1 + draw() % (i % 10 == 0 ? 40 : 6);
    for (size_t k = 0; k < n; ++k) text += units[draw() % (i % 3 == 0 ? 4 : units.size())];
  }
  const auto vocabulary = std::make_shared<const GrammarVocabulary>(texts);
  for (const char* gbnf : {
           R"gbnf(root ::= "\"" ([^"\\\n] | "\\" ["\\n])* "\"" | [a-z]{2,30} ",")gbnf",
           R"gbnf(root ::= "\"" [^"\\]{0,12} "\"" ("," root)?)gbnf",
           R"gbnf(root ::= ([ab]{0,7} | [a-zA-Z]{3} | "{" root ":")* [^é]*)gbnf",
           R"gbnf(root ::= (([ab]{1,20} | a{1,9} | [aZ]+ | [bZ]{2,8} | "ab"+ | a? [ab]{3,5}) " "?)+ "=" root?
a ::= "a" "b"?)gbnf",
       }) {
    const auto compiled =
        std::make_shared<CompiledGrammar>(read_grammar({.kind = GrammarParams::Kind::kGbnf, .text = gbnf}), vocabulary);
    for (const char* text : {"", "\"", "\"ab", "a", "\"日", "\"abababa", "aba", "{"}) {
      Constraint at(compiled);
      if (at.accept_text(text) < std::string(text).size()) continue;
      const std::vector<bool> mask = allowed(at, *vocabulary);
      for (size_t i = 0; i < texts.size(); ++i) {
        Constraint copy = at;
        ASSERT_EQ(mask[i], copy.accept_text(texts[i]) == texts[i].size()) << gbnf << " after " << text << ": " << texts[i];
      }
    }
  }
}

// A client that waits for other texts' tokens does not wait for a grammar.
TEST(Masks, WhatIsDoneAtATimeHasABound) {
  constexpr uint64_t kMuch = uint64_t{1} << 25;
  Pushdown automaton(PushdownProgram(read_grammar({.kind = GrammarParams::Kind::kGbnf, .text = "root ::= [a-z]*"})));
  for (int i = 0; i < 4; ++i) {
    automaton.begin_work();
    automaton.add_work(kMuch);
  }
  const Error error = test::error_of([&] {
    for (int i = 0; i < 4; ++i) automaton.add_work(kMuch);
  });
  EXPECT_EQ(error.code(), Errc::kBadInput);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("takes too long to find"));
}

// Expressions of many words cost their derivatives, not their bytes.
TEST(Masks, WhatExpressionsCostCountsAndAnErrorLosesNothing) {
  const auto automaton_of = [] {
    return Pushdown(
        PushdownProgram(read_grammar({.kind = GrammarParams::Kind::kGbnf,
                                      .text = R"gbnf(root ::= [a-f]{2,9} "x"* | [c-z]{1,5} "y"* | [b-k]{3,7} "z")gbnf"})));
  };
  Pushdown automaton = automaton_of(), other = automaton_of();
  automaton.regexes().set_work(100);
  const Error error = test::error_of([&] { automaton.step(automaton.start(), 'c'); });
  EXPECT_THAT(error.what(), ::testing::HasSubstr("takes too long to find"));
  automaton.begin_work();
  for (const std::string text : {"cdy", "ccccx", "bbbz", "bbz", "y", "aax", "ax"}) {
    GrammarState a = automaton.start(), b = other.start();
    for (const char c : text) {
      a = automaton.step(a, static_cast<uint8_t>(c));
      b = other.step(b, static_cast<uint8_t>(c));
    }
    EXPECT_EQ(automaton.accepts(a), other.accepts(b)) << text;
    EXPECT_EQ(a == Pushdown::kDead, b == Pushdown::kDead) << text;
  }
}

}  // namespace
}  // namespace skald::masks_test
