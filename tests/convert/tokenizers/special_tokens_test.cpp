#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/tokenizer.h"
#include "tests/convert/tiny_folder.h"
#include "tests/convert/tiny_sentencepiece.h"

namespace skald {
namespace {

using test::added_token;
using test::json;
using test::TinyFolder;
using ::testing::ElementsAre;

json special(const std::string& name) { return {{"SpecialToken", {{"id", name}, {"type_id", 0}}}}; }
const json kText = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};

json template_of(const json& single) { return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", nullptr}}; }

// Byte-level BPE with four special tokens and two plain ones after the bytes.
json tokenizer_file(const json& post_processor = nullptr) {
  json out =
      test::bpe_json({}, {added_token(256, "<s>"), added_token(257, "</s>"), added_token(258, "<turn>"),
                          added_token(259, "<pad>"), added_token(260, "plain", false), added_token(261, "<|odd|>", false)});
  out["post_processor"] = post_processor;
  return out;
}

Meta convert(const json& config, const json& tokenizer_config, const json& tokenizer = tokenizer_file(),
             const json& generation = json::object()) {
  TinyFolder folder(config);
  folder.put("tokenizer.json", tokenizer).put("tokenizer_config.json", tokenizer_config);
  return folder.put("generation_config.json", generation).convert(262);
}

TEST(SpecialTokens, AreFoundByNameThenById) {
  const Meta meta =
      convert({{"bos_token_id", 3}, {"eos_token_id", 257}, {"pad_token_id", -1}}, {{"bos_token", {{"content", "<s>"}}}});
  EXPECT_EQ(meta.i64("tokenizer.ggml.bos_token_id"), 256);
  EXPECT_EQ(meta.i64("tokenizer.ggml.eos_token_id"), 257);
  EXPECT_FALSE(meta.has("tokenizer.ggml.padding_token_id"));
}

TEST(SpecialTokens, OfTheLanguageModelAreFoundToo) {
  EXPECT_EQ(convert({{"text_config", {{"eos_token_id", 257}}}}, json::object()).i64("tokenizer.ggml.eos_token_id"), 257);
}

TEST(SpecialTokens, HaveTheirKinds) {
  const std::vector<int64_t> kinds = convert(json::object(), json::object()).ints("tokenizer.ggml.token_type");
  EXPECT_THAT(std::vector<int64_t>(kinds.end() - 6, kinds.end()), ElementsAre(3, 3, 3, 3, 4, 3));
}

TEST(SpecialTokens, AddedTokensDecoderHasTheLastWord) {
  const json decoder = {{"256", {{"content", "<new>"}, {"special", false}}}};
  const Meta meta = convert(json::object(), {{"added_tokens_decoder", decoder}});
  EXPECT_EQ(meta.strings("tokenizer.ggml.tokens")[256], "<new>");
  EXPECT_EQ(meta.ints("tokenizer.ggml.token_type")[256], 4);
}

std::vector<int64_t> ids_with(const Meta& meta, const std::string& rule) {
  return meta.ints("tokenizer.ggml.added_tokens." + rule);
}

TEST(SpecialTokens, RulesOfAddedTokensAreWritten) {
  json file = tokenizer_file();
  for (json& token : file["added_tokens"]) {
    token["rstrip"] = token["id"] == 256 || token["id"] == 257;
    token["single_word"] = token["id"] == 258;
    token.erase("normalized");  // as plain tokens have it, special ones not
  }
  const json decoder = {{"257", {{"content", "</s>"}, {"special", true}, {"lstrip", true}}}};
  const Meta meta = convert(json::object(), {{"added_tokens_decoder", decoder}}, file);
  EXPECT_THAT(ids_with(meta, "rstrip"), ElementsAre(256)) << "tokenizer_config.json has the last word";
  EXPECT_THAT(ids_with(meta, "lstrip"), ElementsAre(257));
  EXPECT_THAT(ids_with(meta, "single_word"), ElementsAre(258));
  EXPECT_THAT(ids_with(meta, "normalized"), ElementsAre(260, 261));
  EXPECT_FALSE(meta.has("tokenizer.ggml.added_tokens.space_first"));
}

TEST(SpecialTokens, WithoutRulesHaveNoKeysForThem) {
  for (const Meta& meta = convert(json::object(), json::object()); const auto& [key, value] : meta.entries())
    EXPECT_FALSE(key.starts_with("tokenizer.ggml.added_tokens")) << key;
}

TEST(SpecialTokens, RulesDoNotDependOnTheModelsName) {
  TinyFolder folder;
  folder.put("tokenizer.json", tokenizer_file());
  Meta meta;
  meta.set("general.name", "Phi-3-mini");
  convert_tokenizer(folder.open(), 262, meta);
  for (const TokenRules& rules : Vocab::read(meta).rules) EXPECT_EQ(rules, TokenRules{});
}

TEST(SpecialTokens, AnObjectDescribesATokenThatNoListHas) {
  TinyFolder folder;
  folder.write("tokenizer.model", test::TinySentencePiece{.pieces = test::spm_pieces({{"<mask>"}})}.bytes());
  folder.put("tokenizer_config.json", {{"mask_token", {{"content", "<mask>"}, {"lstrip", true}}}});
  const Meta meta = folder.convert(262);
  const auto id = Vocab::read(meta).find("<mask>");
  ASSERT_TRUE(id);
  EXPECT_THAT(ids_with(meta, "lstrip"), ElementsAre(*id));
  EXPECT_FALSE(meta.has("tokenizer.ggml.added_tokens.normalized"));
}

TEST(SpecialTokens, PostProcessorSaysWhatSurroundsAText) {
  const json config = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  const auto flags = [&](const json& post, const json& more = json::object()) {
    json all = config;
    all.update(more);
    const Meta meta = convert(json::object(), all, tokenizer_file(post));
    return std::pair(meta.flag("tokenizer.ggml.add_bos_token", true), meta.flag("tokenizer.ggml.add_eos_token", true));
  };
  const json both = template_of({special("<s>"), kText, special("</s>")});
  EXPECT_EQ(flags(nullptr), std::pair(false, false));
  EXPECT_EQ(flags(both), std::pair(true, true));
  EXPECT_EQ(flags(template_of({special("<s>"), kText})), std::pair(true, false));
  EXPECT_EQ(flags(test::sequence("processors", {{{"type", "ByteLevel"}}, both})), std::pair(true, true));
  EXPECT_EQ(flags(nullptr, {{"add_bos_token", true}}), std::pair(true, false));
  EXPECT_EQ(flags(both, {{"add_eos_token", false}}), std::pair(true, true));
  EXPECT_EQ(flags(both, {{"add_eos_token", false}, {"tokenizer_class", "LlamaTokenizerFast"}}), std::pair(true, false));
}

TEST(SpecialTokens, ATextsEndMayBeAnotherThanAnAnswers) {
  const Meta meta =
      convert(json::object(), {{"eos_token", "<turn>"}}, tokenizer_file(template_of({kText, special("</s>")})));
  EXPECT_EQ(meta.i64("tokenizer.ggml.eos_token_id"), 257);
  EXPECT_EQ(meta.i64("tokenizer.ggml.eot_token_id"), 258);
  EXPECT_TRUE(Vocab::read(meta).is_end(258));
}

TEST(SpecialTokens, RobertaSurroundsAndSeparates) {
  const json post = {{"type", "RobertaProcessing"}, {"sep", {"</s>", 257}}, {"cls", {"<s>", 256}}};
  const Meta meta = convert(json::object(), {{"cls_token", "<s>"}, {"sep_token", "</s>"}}, tokenizer_file(post));
  EXPECT_EQ(meta.i64("tokenizer.ggml.bos_token_id"), 256);
  EXPECT_EQ(meta.i64("tokenizer.ggml.eos_token_id"), 257);
  EXPECT_TRUE(meta.flag("tokenizer.ggml.add_sep_token", false));
}

TEST(SpecialTokens, ListsOfEndsFillTheKeysThatThereAre) {
  Meta meta =
      convert({{"eos_token_id", {257, 258}}}, {{"eos_token", "</s>"}}, tokenizer_file(), {{"eos_token_id", {257, 65, 66}}});
  const Vocab vocab = Vocab::read(meta);
  for (TokenId id : {257, 258, 65}) EXPECT_TRUE(vocab.is_end(id)) << id;
  EXPECT_FALSE(vocab.is_end(66));
  EXPECT_EQ(meta.i64("tokenizer.ggml.eot_token_id"), 258);
  EXPECT_EQ(meta.i64("tokenizer.ggml.eom_token_id"), 65);
  meta = convert({{"eos_token_id", {257}}}, {{"eos_token", "</s>"}});
  EXPECT_FALSE(meta.has("tokenizer.ggml.eot_token_id"));
}

TEST(SpecialTokens, OfSentencePieceFilesNeedNoOtherFile) {
  TinyFolder folder;
  folder.write("tokenizer.model", test::TinySentencePiece{.pieces = test::spm_pieces({})}.bytes());
  Meta meta = folder.convert(262);
  EXPECT_EQ(meta.i64("tokenizer.ggml.bos_token_id"), 1);
  EXPECT_EQ(meta.i64("tokenizer.ggml.unknown_token_id"), 0);
  EXPECT_TRUE(meta.flag("tokenizer.ggml.add_bos_token", false));
  EXPECT_FALSE(meta.flag("tokenizer.ggml.add_eos_token", true));
  folder.put("added_tokens.json", {{"<|im_end|>", 260}, {"word", 261}});
  folder.put("tokenizer_config.json", {{"add_bos_token", false},
                                       {"add_prefix_space", false},
                                       {"added_tokens_decoder", {{"0", {{"content", "<unk>"}, {"special", true}}}}}});
  meta = folder.convert(262);
  EXPECT_FALSE(meta.flag("tokenizer.ggml.add_bos_token", true));
  EXPECT_FALSE(meta.flag("tokenizer.ggml.add_space_prefix", true));
  const std::vector<int64_t> kinds = meta.ints("tokenizer.ggml.token_type");
  EXPECT_EQ(kinds[0], 2);  // unknown, though it is special, too
  EXPECT_THAT(std::vector<int64_t>(kinds.end() - 3, kinds.end()), ElementsAre(5, 3, 4));
}

}  // namespace
}  // namespace skald
