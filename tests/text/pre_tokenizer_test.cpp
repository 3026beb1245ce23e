#include "text/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

#include "text/regex_dialect.h"

namespace skald {
namespace {

std::vector<std::string> words_of(std::string_view name, std::string_view text) {
  const PreTokenizer pre(*find_pre_tokenizer(name));
  std::vector<PreTokenizer::Word> words;
  pre.split(text, words);
  std::vector<std::string> out;
  for (const auto& w : words) out.emplace_back(text.substr(w.begin, w.end - w.begin));
  return out;
}
using Words = std::vector<std::string>;

std::vector<std::string> all_names() {
  std::istringstream in(pre_tokenizer_names());
  std::vector<std::string> out;
  for (std::string name; std::getline(in, name, ',');) out.push_back(name.substr(name.find_first_not_of(' ')));
  return out;
}

// The cases below were checked against the Hugging Face library with the models' own definitions.
TEST(PreTokenizer, Gpt2) {
  EXPECT_EQ(words_of("gpt-2", "I'm  sure they'll pay $100!\n\n ok"),
            (Words{"I", "'m", " ", " sure", " they", "'ll", " pay", " $", "100", "!", "\n\n", " ok"}));
  EXPECT_EQ(words_of("gpt-2", "a\tb \xC2\xA0"), (Words{"a", "\t", "b", " \xC2\xA0"}));
  EXPECT_EQ(words_of("gpt-2", ""), Words{});
}

TEST(PreTokenizer, Llama3) {
  EXPECT_EQ(words_of("llama-bpe", "DON'T 12345\r\n  x"), (Words{"DON", "'T", " ", "123", "45", "\r\n", " ", " x"}));
  EXPECT_EQ(words_of("llama-bpe", "'ſ"), (Words{"'ſ"}));  // U+017F folds to s
}

TEST(PreTokenizer, Qwen2SplitsDigits) { EXPECT_EQ(words_of("qwen2", "a12"), (Words{"a", "1", "2"})); }

TEST(PreTokenizer, Gpt4oSplitsWordsAtCapitals) {
  EXPECT_EQ(words_of("gpt-4o", "fooBarBAZ'LL x/\n"), (Words{"foo", "Bar", "BAZ'LL", " x", "/\n"}));
  EXPECT_EQ(words_of("gpt-4o", "e\u0301t\u0301"), (Words{"e\u0301t\u0301"}));
}

TEST(PreTokenizer, SeveralExpressionsInSequence) {
  EXPECT_EQ(words_of("starcoder", "x 12"), (Words{"x", " ", "1", "2"}));
  EXPECT_EQ(words_of("falcon", "a<=b 12345"), (Words{"a", "<=", "b", " ", "123", "45"}));
  EXPECT_EQ(words_of("deepseek-llm", "ab 12\n  c天地  "), (Words{"ab", " ", "1", "2", "\n", " ", " c", "天地", "  "}));
}

TEST(PreTokenizer, DigitsInGroupsFromTheEnd) {
  EXPECT_EQ(words_of("superbpe", "x1234567y12 3"), (Words{"x", "1", "234", "567", "y", "12", " ", "3"}));
  EXPECT_EQ(words_of("superbpe", "123456"), (Words{"123", "456"}));
  EXPECT_EQ(words_of("superbpe", "½1234²567Ⅳ"), (Words{"½1", "234²", "567Ⅳ"}));
  EXPECT_EQ(words_of("tiny_aya", "12345 1234567."), (Words{"12", "345", " ", "1", "234", "567", "."}));
  EXPECT_EQ(words_of("tiny_aya", "12345abc"), (Words{"123", "45", "abc"}));
}

TEST(PreTokenizer, WordsOverSingleSpaces) {
  EXPECT_EQ(words_of("exaone-moe", "안녕 하세요  x1 y"), (Words{"안녕 하세요", " ", " x", "1", " y"}));
}

TEST(PreTokenizer, IdeographsApartFromOtherLetters) {
  EXPECT_EQ(words_of("kimi-k2", "ab天地cd かな\U00031350x"), (Words{"ab", "天地", "cd", " かな", "\U00031350", "x"}));
  EXPECT_EQ(words_of("youtu", "天地，가나x1"), (Words{"天地", "，", "가나", "x", "1"}));
}

TEST(PreTokenizer, SpacesInPowersOfTwo) {
  EXPECT_EQ(words_of("jais-2", std::string(21, ' ') + "x"), (Words{std::string(16, ' '), std::string(4, ' '), " x"}));
}

TEST(PreTokenizer, MongolianVowelSeparatorIsNoSpace) { EXPECT_EQ(words_of("gpt-2", "a \u180E"), (Words{"a", " \u180E"})); }

TEST(PreTokenizer, KnowsLettersThatAreNewerThanTheLibrary) {
  EXPECT_EQ(words_of("llama-bpe", "a\U00031350b"), (Words{"a\U00031350b"}));  // CJK extension H, Unicode 15
  EXPECT_EQ(words_of("llama-bpe", "1\U00011F50"), (Words{"1\U00011F50"}));    // a Kawi digit
}

TEST(RegexDialect, Translates) {
  EXPECT_EQ(to_pcre2("a|[b]"), "a|[b]");
  EXPECT_EQ(to_pcre2(R"(\[\\)"), R"(\[\\)");
  EXPECT_EQ(to_pcre2(R"(\s)").front(), '[');              // a class of its own outside of brackets,
  EXPECT_EQ(to_pcre2(R"([\s])").substr(0, 3), R"([\x)");  // a part of the class within
  EXPECT_EQ(to_pcre2(R"(\S)").substr(0, 2), "[^");
  EXPECT_EQ(to_pcre2(R"(\p{Lt})"), R"([\p{Lt}])");  // nothing was added to the title case letters
  EXPECT_NE(to_pcre2(R"([\p{L}])").find(R"(\x{31350})"), std::string::npos);
}

class EveryPreTokenizer : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPreTokenizer, KeepsEveryByteAndStaysLinear) {
  const size_t n = 1 << 17;
  const auto times = [&](std::string_view piece) {
    std::string out;
    while (out.size() < n) out += piece;
    return out;
  };
  const PreTokenizer pre(*find_pre_tokenizer(GetParam()));
  for (const std::string& text : {times(" "),
                                  times(" ") + "x",
                                  times(" ") + "1",
                                  times(" ") + "!",
                                  times("\n"),
                                  times(" \n"),
                                  times("\t") + "\r",
                                  times("a"),
                                  times("a ") + "1",
                                  times("e\u0301 "),
                                  times("7") + "a",
                                  times("7½"),
                                  times("A"),
                                  times("aA"),
                                  times("7"),
                                  times("!"),
                                  times("'"),
                                  times("'s"),
                                  times("é"),
                                  times("e\u0301"),
                                  times("👩‍💻"),
                                  times("天"),
                                  times("\u00A0") + "x",
                                  times(std::string_view("\0", 1)),
                                  times("Hello, world 123\r\n")}) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<PreTokenizer::Word> words;
    pre.split(text, words);
    size_t at = 0;
    for (const auto& w : words) {
      ASSERT_EQ(w.begin, at);
      ASSERT_GT(w.end, w.begin);
      at = w.end;
    }
    ASSERT_EQ(at, text.size());
    // Quadratic time would be minutes; the bound leaves room for sanitizers and a busy machine.
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << text.substr(0, 8);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryPreTokenizer, ::testing::ValuesIn(all_names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(PreTokenizerTable, AliasesAndUnknownNames) {
  EXPECT_EQ(find_pre_tokenizer("llama3"), find_pre_tokenizer("llama-bpe"));
  EXPECT_EQ(find_pre_tokenizer("llama-v3"), find_pre_tokenizer("llama-bpe"));
  for (const char* other : {"", "llama", "gpt-2 phi-2", "GPT-2"}) EXPECT_EQ(find_pre_tokenizer(other), nullptr) << other;
}

}  // namespace
}  // namespace skald
