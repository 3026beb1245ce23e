#include "convert/tokenizers/chatglm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/convert/tiny_folder.h"
#include "tests/convert/tiny_sentencepiece.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using test::kSpace;
using test::pieces_of;
using test::TinyFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void put_chatglm2(TinyFolder& folder) {
  folder.put("config.json", {{"model_type", "chatglm"}});
  folder.put("tokenizer_config.json", {{"tokenizer_class", "ChatGLMTokenizer"}});
  folder.write("tokenizer.model", test::TinySentencePiece{.pieces = test::spm_pieces({{kSpace}, {"a"}})}.bytes());
}

TEST(ChatGlmTokens, SpecialsLieAfterThePieces) {
  TinyFolder folder;
  put_chatglm2(folder);
  const Meta meta = folder.convert(272);
  const std::vector<std::string>& tokens = meta.strings("tokenizer.ggml.tokens");
  EXPECT_EQ(tokens[261], "[MASK]");
  EXPECT_EQ(tokens[262], "[gMASK]");
  EXPECT_EQ(tokens[264], "sop");
  EXPECT_EQ(tokens[266], "[PAD266]") << "the second has no roles";
  EXPECT_EQ(meta.ints("tokenizer.ggml.token_type")[264], 3);
  EXPECT_FALSE(meta.flag("tokenizer.ggml.add_bos_token", true));
  EXPECT_EQ(meta.i64("tokenizer.ggml.padding_token_id"), 0);
  EXPECT_THAT(pieces_of(meta, "[gMASK]sopa"), ElementsAre("[gMASK]", "sop", kSpace, "a"));
}

TEST(ChatGlmTokens, TheThirdHasRolesAndEndsAtTheUsers) {
  TinyFolder folder;
  put_chatglm2(folder);
  folder.put("config.json", {{"model_type", "chatglm"}, {"_name_or_path", "THUDM/chatglm3-6b"}});
  const Meta meta = folder.convert(272);
  EXPECT_EQ(meta.strings("tokenizer.ggml.tokens")[267], "<|user|>");
  EXPECT_EQ(meta.strings("tokenizer.ggml.tokens")[269], "<|observation|>");
  EXPECT_EQ(meta.i64("tokenizer.ggml.eot_token_id"), 267);
}

void put_chatglm1(TinyFolder& folder, int64_t pictures) {
  constexpr PieceKind kUser = PieceKind::kUserDefined;
  std::vector<Piece> more = {{"<n>", kUser}, {"<|tab|>", kUser}};
  for (const char* n : {"2", "3", "4"}) more.push_back({"<|blank_" + std::string(n) + "|>", kUser});
  more.insert(more.end(), {{"[gMASK]", kUser},
                           {"<sop>", kUser},
                           {kSpace, PieceKind::kNormal, -3},
                           {"a", PieceKind::kNormal, -4},
                           {kSpace + "a", PieceKind::kNormal, -1},
                           {"<|blank_81|>"},
                           {"<|blank_x|>"}});
  folder.put("config.json", {{"model_type", "chatglm"}});
  folder.put("tokenizer_config.json",
             {{"tokenizer_class", "ChatGLMTokenizer"}, {"num_image_tokens", pictures}, {"bos_token", "<sop>"}});
  folder.write("ice_text.model", test::TinySentencePiece{.pieces = test::spm_pieces(more)}.bytes());
}

// As by its Python code: breaks, tabs and runs of spaces become pieces of their own, without a space after them.
TEST(ChatGlmTokens, SpacesOfTheFirstAreSpelled) {
  TinyFolder folder;
  put_chatglm1(folder, 0);
  const Meta meta = folder.convert(271);
  EXPECT_THAT(pieces_of(meta, "a\na\ta"), ElementsAre(kSpace + "a", "\n", "a", "\t", "a"));
  EXPECT_THAT(pieces_of(meta, "a a"), ElementsAre(kSpace + "a", kSpace + "a"));
  EXPECT_THAT(pieces_of(meta, "a  a"), ElementsAre(kSpace + "a", kSpace + kSpace, "a"));
  EXPECT_THAT(pieces_of(meta, "a     a"), ElementsAre(kSpace + "a", kSpace + kSpace + kSpace + kSpace, kSpace + "a"));
  EXPECT_THAT(pieces_of(meta, "a[gMASK]<sop>"), ElementsAre(kSpace + "a", "[gMASK]", "<sop>"));
  EXPECT_EQ(meta.strings("tokenizer.ggml.tokens")[269], "<|blank_81|>");
  EXPECT_FALSE(meta.flag("tokenizer.ggml.add_bos_token", true));
}

TEST(ChatGlmTokens, FirstIdsOfPicturesAreRefused) {
  TinyFolder folder;
  put_chatglm1(folder, 20000);
  const Error e = test::error_of([&] { folder.convert(271); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr("num_image_tokens: want 0, file has 20000"));
}

}  // namespace
}  // namespace skald
