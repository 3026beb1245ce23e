#include "text/bert_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skald {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words_of(std::string_view text, BertOptions options = {}) {
  BertWords words;
  cut_bert_words(text, options, words);
  std::vector<std::string> out;
  size_t begin = 0;
  for (size_t end : words.ends) {
    out.push_back(words.text.substr(begin, end - begin));
    begin = end;
  }
  EXPECT_EQ(begin, words.text.size());
  return out;
}

constexpr BertOptions kCased = {.lowercase = false, .strip_accents = false};

// The cases below were checked against BertNormalizer and BertPreTokenizer of the Hugging Face library.
TEST(BertWords, SpacesAndPunctuation) {
  EXPECT_THAT(words_of("Hello,  world!\n"), ElementsAre("hello", ",", "world", "!"));
  EXPECT_THAT(words_of("a\u00A0b\u3000c\u2028d"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(words_of("it's $5+3<x>`^~"), ElementsAre("it", "'", "s", "$", "5", "+", "3", "<", "x", ">", "`", "^", "~"));
  EXPECT_THAT(words_of("a…b«c»"), ElementsAre("a", "…", "b", "«", "c", "»"));
  EXPECT_THAT(words_of("€5"), ElementsAre("€5"));  // a symbol outside of ASCII is no punctuation
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" \t\r\n"), IsEmpty());
}

TEST(BertWords, ControlsAndBrokenBytesAreDropped) {
  EXPECT_THAT(words_of(std::string("a\0b\x01\x7F"
                                   "c\u200Bd\uFFFDe\xFFg",
                                   17)),
              ElementsAre("abcdeg"));
  EXPECT_THAT(words_of("a\vb\fc\u0085d"), ElementsAre("abcd"));  // controls, for BERT, not spaces
  EXPECT_THAT(words_of("\uE000"), IsEmpty());
}

TEST(BertWords, AccentsAndCase) {
  EXPECT_THAT(words_of("Crème BRÛLÉE İstanbul ẞ"), ElementsAre("creme", "brulee", "istanbul", "ß"));
  EXPECT_THAT(words_of("Crème İ", kCased), ElementsAre("Crème", "İ"));
  EXPECT_THAT(words_of("CRÈME İ", {.lowercase = true, .strip_accents = false}), ElementsAre("crème", "i\u0307"));
  EXPECT_THAT(words_of("CRÈME", {.lowercase = false, .strip_accents = true}), ElementsAre("CREME"));
  EXPECT_THAT(words_of("한"), ElementsAre("\u1112\u1161\u11AB"));  // decomposed, as the models know it
  EXPECT_THAT(words_of("\u0301"), IsEmpty());
}

TEST(BertWords, IdeographsStandAlone) {
  EXPECT_THAT(words_of("ab天地cd"), ElementsAre("ab", "天", "地", "cd"));
  EXPECT_THAT(words_of("\uF900"), ElementsAre("\u8C48"));
  EXPECT_THAT(words_of("\uF900", kCased), ElementsAre("\uF900"));
  EXPECT_THAT(words_of("かなカナ한국", kCased), ElementsAre("かなカナ한국"));
}

}  // namespace
}  // namespace skald
