#include "convert/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/convert/tiny_folder.h"
#include "tests/convert/tiny_sentencepiece.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using test::added_token;
using test::bpe_json;
using test::json;
using test::kSpace;
using test::pieces_of;
using test::TinyFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const TinyFolder& folder, int64_t n_vocab = 300) {
  const Error error = test::error_of([&] { folder.convert(n_vocab); });
  EXPECT_NE(error.code(), Errc::kInternal) << error.what();
  return error.what();
}

TEST(ConvertTokenizer, ReadsByteLevelBpe) {
  TinyFolder folder;
  folder.put("tokenizer.json",
             bpe_json({{"a", "b"}, {"ab", "c"}}, {added_token(258, "<|end|>"), added_token(259, "x\xE2\x96\x81y", false)}));
  const Meta meta = folder.convert(262);
  EXPECT_EQ(meta.str("tokenizer.ggml.model"), "gpt2");
  EXPECT_EQ(meta.str("tokenizer.ggml.pre"), "gpt-2");
  EXPECT_THAT(meta.strings("tokenizer.ggml.merges"), ElementsAre("a b", "ab c"));
  const std::vector<std::string>& tokens = meta.strings("tokenizer.ggml.tokens");
  ASSERT_EQ(tokens.size(), 262u);
  EXPECT_EQ(tokens[259], "x y");
  EXPECT_EQ(tokens[261], "[PAD261]");
  EXPECT_THAT(meta.ints("tokenizer.ggml.token_type")[258], 3);
  EXPECT_THAT(meta.ints("tokenizer.ggml.token_type")[259], 4);
  EXPECT_THAT(pieces_of(meta, "abcb<|end|>"), ElementsAre("abc", "b", "<|end|>"));
}

TEST(ConvertTokenizer, PreTokenizerMayBeChosen) {
  TinyFolder folder;
  json file = bpe_json({});
  file["pre_tokenizer"] = test::sequence("pretokenizers", {test::split_step("[a-q]+"), test::byte_level_step(false)});
  folder.put("tokenizer.json", file);
  EXPECT_THAT(message_of(folder),
              AllOf(HasSubstr("tokenizer.json"), HasSubstr("[a-q]+"), HasSubstr("convert.pre_tokenizer")));
  EXPECT_EQ(folder.convert(256, {.pre_tokenizer = "qwen2"}).str("tokenizer.ggml.pre"), "qwen2");
}

json sentencepiece_bpe_json() {
  json vocab = {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2},       {"<0x41>", 3}, {kSpace, 4},
                {"a", 5},     {"b", 6},   {kSpace + "a", 7}, {"ab", 8}};
  const json merges = json::array({json::array({"a", "b"}), json::array({kSpace, "a"})});
  return {
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}, {"unk_token", "<unk>"}, {"byte_fallback", true}}},
      {"normalizer",
       test::sequence("normalizers", {{{"type", "Prepend"}, {"prepend", kSpace}},
                                      {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSpace}}})},
      {"added_tokens", {added_token(0, "<unk>"), added_token(1, "<s>"), added_token(2, "</s>")}}};
}

TEST(ConvertTokenizer, ScoresStandForTheOrderOfMerges) {
  TinyFolder folder;
  folder.put("tokenizer.json", sentencepiece_bpe_json());
  Meta meta = folder.convert(9);
  EXPECT_EQ(meta.str("tokenizer.ggml.model"), "llama");
  EXPECT_TRUE(meta.flag("tokenizer.ggml.add_space_prefix", false));
  const std::vector<int64_t> kinds = meta.ints("tokenizer.ggml.token_type");
  EXPECT_THAT(kinds, ElementsAre(2, 3, 3, 6, 1, 1, 1, 1, 1));
  EXPECT_THAT(pieces_of(meta, "ab"), ElementsAre(kSpace, "ab"));  // "ab" is merged before the space
  json file = sentencepiece_bpe_json();
  std::swap(file["model"]["merges"][0], file["model"]["merges"][1]);
  meta = folder.put("tokenizer.json", file).convert(9);
  EXPECT_THAT(pieces_of(meta, "ab"), ElementsAre(kSpace + "a", "b"));
}

json listed_bpe_json() {
  json file = sentencepiece_bpe_json();
  file["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSpace}};
  file["model"]["vocab"]["<|tool_call>"] = 9;
  file["added_tokens"].push_back(added_token(9, "<|tool_call>"));
  return file;
}

TEST(ConvertTokenizer, Gemma4KeepsItsMerges) {
  TinyFolder folder(json{{"model_type", "gemma4"}});
  folder.put("tokenizer.json", listed_bpe_json()).put("tokenizer_config.json", {{"bos_token", "<s>"}});
  const Meta meta = folder.convert(10);
  EXPECT_EQ(meta.str("tokenizer.ggml.model"), "gemma4");
  EXPECT_THAT(meta.strings("tokenizer.ggml.merges"), ElementsAre("a b", kSpace + " a"));
  EXPECT_TRUE(meta.flag("tokenizer.ggml.add_bos_token", false)) << "though no post-processor says so";
  EXPECT_FALSE(meta.flag("tokenizer.ggml.add_space_prefix", true));
  EXPECT_EQ(meta.ints("tokenizer.ggml.token_type")[9], 4) << "replies are read by it";
  EXPECT_THAT(pieces_of(meta, "ab"), ElementsAre("<s>", "ab"));
}

TEST(ConvertTokenizer, PrefersSentencePieceToWhatWasMadeOfIt) {
  TinyFolder folder;
  folder.put("tokenizer.json", sentencepiece_bpe_json());
  folder.write("tokenizer.model", test::TinySentencePiece{.pieces = test::spm_pieces({{"zz"}})}.bytes());
  EXPECT_EQ(folder.convert(260).strings("tokenizer.ggml.tokens")[259], "zz");
  folder.put("tokenizer.json", bpe_json({}));  // which cannot be of the same vocabulary
  EXPECT_EQ(folder.convert(260).str("tokenizer.ggml.model"), "gpt2");
}

TEST(ConvertTokenizer, ReadsUnigramWithItsMapOfCharacters) {
  const json precompiled = {{"type", "Precompiled"}, {"precompiled_charsmap", "BAAAAAAAAAB4AA=="}};
  const json file = {
      {"model",
       {{"type", "Unigram"},
        {"unk_id", 0},
        {"vocab", json::array({json::array({"<unk>", 0}), json::array({kSpace, -1.5}), json::array({"a", -2})})}}},
      {"normalizer",
       test::sequence("normalizers",
                      {precompiled, {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", kSpace}}})},
      {"pre_tokenizer", {{"type", "Metaspace"}, {"replacement", kSpace}, {"prepend_scheme", "always"}}}};
  TinyFolder folder(json{{"model_type", "t5"}});
  const Meta meta = folder.put("tokenizer.json", file).convert(3);
  EXPECT_EQ(meta.str("tokenizer.ggml.model"), "t5");
  EXPECT_THAT(meta.floats("tokenizer.ggml.scores"), ElementsAre(0, -1.5, -2));
  EXPECT_THAT(meta.ints("tokenizer.ggml.precompiled_charsmap"), ElementsAre(4, 0, 0, 0, 0, 0, 0, 0, 'x', 0));
  EXPECT_TRUE(meta.flag("tokenizer.ggml.remove_extra_whitespaces", false));
  EXPECT_THAT(pieces_of(meta, "a  a"), ElementsAre(kSpace, "a", kSpace, "a"));
  json broken = file;
  broken["normalizer"]["normalizers"][0]["precompiled_charsmap"] = "BAAAAAAAAAB4";
  EXPECT_THAT(message_of(folder.put("tokenizer.json", broken)), HasSubstr("precompiled_charsmap: the last"));
  broken["normalizer"]["normalizers"][0]["precompiled_charsmap"] = "?";
  EXPECT_THAT(message_of(folder.put("tokenizer.json", broken)), HasSubstr("precompiled_charsmap: want base64"));
}

TEST(ConvertTokenizer, ReadsVocabularyAndMergesOfTheirOwn) {
  TinyFolder folder(json{{"model_type", "opt"}});
  json vocab = bpe_json({{"a", "b"}})["model"]["vocab"];
  vocab["</s>"] = 257;
  folder.put("vocab.json", vocab).write("merges.txt", "#version: 0.2\r\na b\r\n\n");
  folder.put("tokenizer_config.json", {{"tokenizer_class", "GPT2Tokenizer"}, {"add_bos_token", true}});
  folder.put("special_tokens_map.json", {{"bos_token", {{"content", "</s>"}}}});
  const Meta meta = folder.convert(258);
  EXPECT_EQ(meta.str("tokenizer.ggml.pre"), "gpt-2");
  EXPECT_THAT(pieces_of(meta, "ab"), ElementsAre("</s>", "ab"));
  EXPECT_EQ(meta.ints("tokenizer.ggml.token_type")[257], 3);
  folder.write("merges.txt", "a b c\n");
  EXPECT_THAT(message_of(folder), HasSubstr("merges.txt: line 1"));
  folder.write("merges.txt", "a zzz\n");
  EXPECT_THAT(message_of(folder), HasSubstr("\"zzz\" is not in"));
}

TEST(ConvertTokenizer, SaysThatThereIsNone) { EXPECT_THAT(message_of(TinyFolder()), HasSubstr("no vocabulary")); }

TEST(ConvertTokenizer, SaysWhatIsWrongInTokenizerJson) {
  const auto message = [](auto change) {
    json file = bpe_json({{"a", "b"}}, {added_token(257, "<s>")});
    change(file);
    return message_of(TinyFolder().put("tokenizer.json", file));
  };
  EXPECT_THAT(message([](json& f) { f = json::array(); }), HasSubstr("tokenizer.json: want an object"));
  EXPECT_THAT(message([](json& f) { f.erase("model"); }), HasSubstr("tokenizer.json: model: missing"));
  EXPECT_THAT(message([](json& f) { f["model"]["type"] = "WordLevel"; }),
              HasSubstr("model.type: no tokenizer \"WordLevel\""));
  EXPECT_THAT(message([](json& f) { f["model"].erase("vocab"); }), HasSubstr("model.vocab: missing"));
  EXPECT_THAT(message([](json& f) { f["model"]["vocab"] = 3; }), HasSubstr("model.vocab: want an object"));
  EXPECT_THAT(message([](json& f) { f["model"]["vocab"]["a"] = 1; }), HasSubstr("two pieces with the id 1"));
  EXPECT_THAT(message([](json& f) { f["model"]["vocab"]["a"] = -1; }), HasSubstr("id -1"));
  EXPECT_THAT(message([](json& f) { f["model"]["vocab"]["a"] = 1.5; }), HasSubstr("want an id"));
  EXPECT_THAT(message([](json& f) { f["model"]["merges"][0] = {"a"}; }), HasSubstr("model.merges[0]: want two pieces"));
  EXPECT_THAT(message([](json& f) { f["model"]["merges"][0] = "ab"; }), HasSubstr("model.merges[0]"));
  EXPECT_THAT(message([](json& f) { f["model"]["merges"][0] = {"a", "zz"}; }), HasSubstr("\"zz\" is not in"));
  EXPECT_THAT(message([](json& f) { f["model"]["merges"][0] = {"b", "a"}; }), HasSubstr("\"ba\" is not in"));
  EXPECT_THAT(message([](json& f) { f["added_tokens"][0]["id"] = "1"; }),
              HasSubstr("added_tokens[0].id: want a whole number"));
  EXPECT_THAT(message([](json& f) { f["added_tokens"][0]["id"] = -5; }), HasSubstr("-5"));
  EXPECT_THAT(message([](json& f) { f["normalizer"] = {{"type", "Lowercase"}}; }), HasSubstr("\"Lowercase\""));
  EXPECT_THAT(message([](json& f) {
                f["pre_tokenizer"] = {{"type", "Split"}};
              }),
              HasSubstr("pre_tokenizer.pattern: missing"));
  EXPECT_THAT(message([](json& f) { f["pre_tokenizer"] = test::sequence("pretokenizers", {}); }), HasSubstr("model"));
  EXPECT_THAT(message([](json& f) {
                f["post_processor"] = {{"type", "TemplateProcessing"}};
              }),
              HasSubstr("post_processor.single"));
  EXPECT_THAT(message([](json& f) { f["model"]["end_of_word_suffix"] = "</w>"; }), HasSubstr("end_of_word_suffix"));
}

TEST(ConvertTokenizer, SaysWhatIsWrongInOtherFiles) {
  const auto with = [](const std::string& file, const std::string& content) {
    TinyFolder folder;
    folder.put("tokenizer.json", bpe_json({})).write(file, content);
    return message_of(folder);
  };
  EXPECT_THAT(with("tokenizer.json", "{"), HasSubstr("tokenizer.json"));
  EXPECT_THAT(with("tokenizer_config.json", "[]"), HasSubstr("tokenizer_config.json: want an object"));
  EXPECT_THAT(with("tokenizer_config.json", R"({"bos_token": 3})"), HasSubstr("bos_token: want a string"));
  EXPECT_THAT(with("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {"content": "a"}}})"),
              HasSubstr("want an id"));
  EXPECT_THAT(with("tokenizer_config.json", R"({"chat_template": [{"name": "a"}]})"), HasSubstr("template: missing"));
  EXPECT_THAT(with("generation_config.json", R"({"eos_token_id": "2"})"), HasSubstr("eos_token_id: want a whole number"));
  EXPECT_THAT(with("added_tokens.json", R"({"a": null})"), HasSubstr("added_tokens.json"));
  EXPECT_THAT(with("chat_template.jinja", "\xFF"), HasSubstr("chat_template.jinja: not UTF-8"));
  TinyFolder folder;
  EXPECT_THAT(message_of(folder.write("tokenizer.model", "junk")), HasSubstr("tokenizer.model"));
}

TEST(ConvertTokenizer, LeavesOutWhatTheModelHasNoRowsFor) {
  TinyFolder folder;
  folder.put("tokenizer.json", bpe_json({}, {added_token(256, "<s>"), added_token(int64_t{1} << 40, "<far>")}));
  folder.put("tokenizer_config.json", {{"bos_token", "<far>"}, {"eos_token", "<s>"}});
  const Meta meta = folder.convert(257);
  EXPECT_EQ(meta.strings("tokenizer.ggml.tokens").size(), 257u);
  EXPECT_FALSE(meta.has("tokenizer.ggml.bos_token_id"));
  EXPECT_EQ(meta.i64("tokenizer.ggml.eos_token_id"), 256);
  EXPECT_EQ(test::error_of([&] { folder.convert(0); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { folder.convert(int64_t{1} << 50); }).code(), Errc::kBadFile);
}

}  // namespace
}  // namespace skald
