// sentencepiece_model and sentencepiece_parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "convert/tokenizers/sentencepiece_model.h"
#include "convert/tokenizers/sentencepiece_parts.h"
#include "tests/convert/tiny_sentencepiece.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& bytes) {
  return test::error_of([&] { SentencePieceModel::parse(bytes); }).what();
}

TEST(SentencePieceModel, ReadsPiecesAndHowTextsAreNormalized) {
  test::TinySentencePiece tiny{
      .pieces = {{"<unk>", PieceKind::kUnknown}, {"a", PieceKind::kUserDefined, -2}, {"b", PieceKind::kUnused}}, .type = 1};
  tiny.dummy_prefix = false;
  tiny.charsmap = "map";
  const SentencePieceModel model = SentencePieceModel::parse(tiny.bytes());
  ASSERT_EQ(model.pieces.size(), 3u);
  EXPECT_EQ(model.pieces[0].kind, PieceKind::kUnknown);
  EXPECT_EQ(model.pieces[1].text, "a");
  EXPECT_EQ(model.pieces[1].kind, PieceKind::kUserDefined);
  EXPECT_EQ(model.pieces[1].score, -2);
  EXPECT_EQ(model.pieces[2].kind, PieceKind::kUnused);
  EXPECT_EQ(model.type, SentencePieceModel::Type::kUnigram);
  EXPECT_FALSE(model.add_dummy_prefix);
  EXPECT_FALSE(model.remove_extra_whitespaces);
  EXPECT_EQ(model.charsmap, "map");
}

TEST(SentencePieceModel, HasTheSchemasDefaults) {
  const SentencePieceModel model = SentencePieceModel::parse(test::bytes_field(1, test::bytes_field(1, "x")));
  EXPECT_EQ(model.pieces[0].kind, PieceKind::kNormal);
  EXPECT_EQ(model.type, SentencePieceModel::Type::kUnigram);
  EXPECT_TRUE(model.add_dummy_prefix && model.remove_extra_whitespaces && model.escape_whitespaces);
  EXPECT_EQ(model.unk, 0);
  EXPECT_EQ(model.pad, -1);
}

TEST(SentencePieceModel, SaysWhatIsWrongWhere) {
  const std::string good = test::bytes_field(1, test::piece_message({"x"}));
  EXPECT_THAT(message_of(""), HasSubstr("no pieces"));
  EXPECT_THAT(message_of(good + test::bytes_field(1, test::varint_field(3, 9))), HasSubstr("piece 1: unknown type 9"));
  EXPECT_THAT(message_of(good + test::bytes_field(1, "")), HasSubstr("piece 1: no text"));
  EXPECT_THAT(message_of(test::bytes_field(1, test::bytes_field(1, "\xFF"))), HasSubstr("not UTF-8"));
  EXPECT_THAT(message_of(test::bytes_field(
                  1, test::piece_message({"x", PieceKind::kNormal, std::numeric_limits<float>::quiet_NaN()}))),
              HasSubstr("not a number"));
  EXPECT_THAT(message_of(good + test::bytes_field(2, test::varint_field(3, 7))),
              HasSubstr("trainer_spec: unknown model_type 7"));
  EXPECT_THAT(message_of(good + test::bytes_field(3, test::bytes_field(3, "x"))), HasSubstr("normalizer_spec: field 3"));
  EXPECT_THAT(message_of("not a model"), HasSubstr("byte"));
}

TokenizerParts parts_of(const test::TinySentencePiece& tiny) {
  return sentencepiece_parts(tiny.bytes(), PieceTable(std::ssize(tiny.pieces)));
}

TEST(SentencePieceParts, BpeIsLlamaAndUnigramT5) {
  test::TinySentencePiece tiny{.pieces = test::spm_pieces({{"a"}})};
  EXPECT_EQ(parts_of(tiny).model, "llama");
  EXPECT_FALSE(parts_of(tiny).remove_extra_whitespaces);
  tiny.type = 1;
  EXPECT_EQ(parts_of(tiny).model, "t5");
  EXPECT_EQ(parts_of(tiny).remove_extra_whitespaces, false);
  tiny.type = 4;
  EXPECT_EQ(test::error_of([&] { parts_of(tiny); }).code(), Errc::kUnsupported);
}

TEST(SentencePieceParts, LookForWhatAUserDefinedInTheTextItself) {
  test::TinySentencePiece tiny{
      .pieces = {{"\xE2\x96\x81x", PieceKind::kUserDefined}, {"\xE2\x96\x81\xE2\x96\x81", PieceKind::kUserDefined}}};
  tiny.dummy_prefix = false;
  TokenizerParts parts = parts_of(tiny);
  EXPECT_EQ(parts.pieces.find(0)->text, " x");
  EXPECT_EQ(parts.pieces.find(1)->text, "  ");
  tiny.dummy_prefix = true;
  parts = parts_of(tiny);
  EXPECT_EQ(parts.pieces.find(0)->text, " x");
  EXPECT_EQ(parts.pieces.find(1)->text, "\xE2\x96\x81\xE2\x96\x81");
  EXPECT_EQ(parts.pieces.find(1)->kind, PieceKind::kNormal);
}

TEST(SentencePieceParts, LeaveOutPiecesWithNul) {
  const TokenizerParts parts = parts_of({.pieces = {{"a"}, {std::string("\0", 1)}, {"b"}}});
  EXPECT_EQ(parts.pieces.filled()[1].kind, PieceKind::kUnused);
  EXPECT_EQ(parts.pieces.filled()[2].text, "b");
}

}  // namespace
}  // namespace skald
