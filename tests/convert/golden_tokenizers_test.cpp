// The golden tokenizers, made into the files that they would have in a Hugging Face folder: converted, they are the same
// again.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "convert/tokenizers/piece_table.h"
#include "io/gguf.h"
#include "tests/convert/tiny_folder.h"
#include "tests/convert/tiny_sentencepiece.h"
#include "tests/support/paths.h"
#include "text/pre_tokenizer_table.h"
#include "text/sentence_piece.h"

namespace skald {
namespace {

using Ids = std::vector<TokenId>;
using test::json;
namespace fs = std::filesystem;

std::vector<Piece> pieces_of(const Meta& meta) {
  std::vector<Piece> out;
  const std::vector<int64_t> kinds = meta.ints("tokenizer.ggml.token_type");
  const std::vector<float> scores = meta.floats("tokenizer.ggml.scores");
  for (const std::string& text : meta.strings("tokenizer.ggml.tokens")) {
    const size_t i = out.size();
    out.push_back({text, static_cast<PieceKind>(kinds[i]), scores.empty() ? 0 : scores[i]});
  }
  return out;
}

json added_tokens(const std::vector<Piece>& pieces) {
  json out = json::array();
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind != PieceKind::kControl) continue;
    out.push_back(test::added_token(static_cast<int64_t>(i), pieces[i].text));
  }
  return out;
}

// [front] A [back], and the same for each of two texts.
json surround(const std::string& front, const std::string& back) {
  const auto special = [](const std::string& name) { return json{{"SpecialToken", {{"id", name}, {"type_id", 0}}}}; };
  const json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  json single = json::array(), pair = json::array();
  if (!front.empty()) single.push_back(special(front)), pair.push_back(special(front));
  for (json* list : {&single, &pair, &pair}) {
    list->push_back(text);
    if (!back.empty()) list->push_back(special(back));
  }
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}};
}

json bpe_file(const Meta& meta, const std::vector<Piece>& pieces) {
  const PreTokenizerSpec& spec = *find_pre_tokenizer(meta.str("tokenizer.ggml.pre"));
  json vocab, merges = json::array();
  for (size_t i = 0; i < pieces.size(); ++i) vocab[pieces[i].text] = i;
  for (const std::string& merge : meta.strings("tokenizer.ggml.merges")) merges.push_back(merge);
  std::vector<json> steps;
  for (std::string_view pattern : spec.patterns) steps.push_back(test::split_step(std::string(pattern)));
  steps.push_back(test::byte_level_step(false));
  json out = {{"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}, {"ignore_merges", spec.ignore_merges}}},
              {"added_tokens", added_tokens(pieces)},
              {"pre_tokenizer", test::sequence("pretokenizers", steps)}};
  if (spec.nfc) out["normalizer"] = {{"type", "NFC"}};
  if (meta.flag("tokenizer.ggml.add_bos_token", false))
    out["post_processor"] = surround(pieces[static_cast<size_t>(meta.i64("tokenizer.ggml.bos_token_id"))].text, "");
  return out;
}

json word_piece_file(const Meta& meta, const std::vector<Piece>& pieces) {
  json vocab;
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::string text = pieces[i].text;
    if (pieces[i].kind == PieceKind::kNormal)
      text = text.starts_with(kPieceSpace) ? text.substr(kPieceSpace.size()) : "##" + text;
    vocab[text] = i;
  }
  return {
      {"model", {{"type", "WordPiece"}, {"vocab", vocab}, {"unk_token", "[UNK]"}, {"continuing_subword_prefix", "##"}}},
      {"added_tokens", added_tokens(pieces)},
      {"normalizer", {{"type", "BertNormalizer"}, {"lowercase", meta.flag("tokenizer.ggml.normalizer.lowercase", true)}}},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"post_processor", surround("[CLS]", "[SEP]")}};
}

std::string sentencepiece_file(const Meta& meta, const std::vector<Piece>& pieces) {
  test::TinySentencePiece out{.pieces = pieces, .type = meta.str("tokenizer.ggml.model") == "llama" ? 2 : 1};
  out.dummy_prefix = meta.flag("tokenizer.ggml.add_space_prefix", true);
  out.remove_extra_whitespaces = meta.flag("tokenizer.ggml.remove_extra_whitespaces", false);
  for (int64_t byte : meta.ints("tokenizer.ggml.precompiled_charsmap")) out.charsmap += static_cast<char>(byte);
  return out.bytes();
}

json config_of(const Meta& meta, const std::vector<Piece>& pieces) {
  const auto name = [&](const std::string& key) -> json {
    if (!meta.has(key)) return nullptr;
    return pieces[static_cast<size_t>(meta.i64(key))].text;
  };
  json out = {
      {"bos_token", name("tokenizer.ggml.bos_token_id")},     {"eos_token", name("tokenizer.ggml.eos_token_id")},
      {"unk_token", name("tokenizer.ggml.unknown_token_id")}, {"sep_token", name("tokenizer.ggml.seperator_token_id")},
      {"pad_token", name("tokenizer.ggml.padding_token_id")}, {"cls_token", name("tokenizer.ggml.cls_token_id")},
      {"mask_token", name("tokenizer.ggml.mask_token_id")}};
  if (meta.str("tokenizer.ggml.model") == "bert") return out;
  out["add_bos_token"] = meta.flag("tokenizer.ggml.add_bos_token", false);
  out["add_eos_token"] = meta.flag("tokenizer.ggml.add_eos_token", false);
  return out;
}

void fill(test::TinyFolder& folder, const Meta& meta) {
  const std::vector<Piece> pieces = pieces_of(meta);
  const std::string& model = meta.str("tokenizer.ggml.model");
  folder.put("tokenizer_config.json", config_of(meta, pieces));
  if (model == "gpt2") {
    folder.put("tokenizer.json", bpe_file(meta, pieces));
  } else if (model == "bert") {
    folder.put("tokenizer.json", word_piece_file(meta, pieces));
  } else {
    folder.write("tokenizer.model", sentencepiece_file(meta, pieces));
  }
}

// Every key of the golden file, with its type, and no other.
void expect_same_keys(const Meta& got, const Meta& want) {
  for (const auto& [key, value] : want.entries()) {
    if (!key.starts_with("tokenizer.")) continue;
    ASSERT_TRUE(got.has(key)) << key;
    EXPECT_TRUE(*got.find(key) == value) << key;
  }
  for (const auto& [key, value] : got.entries()) EXPECT_TRUE(want.has(key)) << key;
}

void expect_cases(const Meta& meta, const fs::path& file) {
  const auto tokenizer = Tokenizer::create(meta);
  std::ifstream in(file);
  const json cases = json::parse(in)["cases"];
  ASSERT_FALSE(cases.empty());
  for (const json& c : cases) {
    const auto text = c["text"].get<std::string>();
    EXPECT_EQ(tokenizer->encode(text), c["ids_with_special"].get<Ids>()) << text;
    EXPECT_EQ(tokenizer->encode(text, {.add_special = false}), c["ids"].get<Ids>()) << text;
    EXPECT_EQ(tokenizer->encode(text, {.add_special = false, .parse_special = false}), c["ids_no_parse"].get<Ids>()) << text;
  }
}

class GoldenTokenizer : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTokenizer, IsWhatItWas) {
  const fs::path golden = test::data_dir() / "golden/tokenizers" / GetParam();
  const Gguf file = Gguf::open((golden / "vocab.gguf").string(), FileBytes::How::kRead);
  test::TinyFolder folder;
  fill(folder, file.meta());
  const Meta meta = folder.convert(std::ssize(file.meta().strings("tokenizer.ggml.tokens")));
  if (GetParam() != "wordpiece") expect_same_keys(meta, file.meta());  // made by hand: it says less than converters do
  expect_cases(meta, golden / "cases.json");
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTokenizer,
                         ::testing::Values("gpt2", "gpt4o", "llama3", "qwen2", "spm", "spm_nopfx", "unigram", "wordpiece"),
                         [](const auto& info) { return info.param; });

// The files of the reference libraries, which lie beside the checkout: of the tokenizers that this build knows.
TEST(ReferenceFiles, GiveTheGoldenTokenizers) {
  const fs::path all = test::shared_dir() / "golden/tokenizers";
  if (!fs::exists(all)) GTEST_SKIP() << "no " << all;
  for (const auto& entry : fs::directory_iterator(all)) {
    if (!fs::exists(test::data_dir() / "golden/tokenizers" / entry.path().filename())) continue;
    SCOPED_TRACE(entry.path());
    test::TinyFolder folder;
    for (const char* name : {"tokenizer.json", "tokenizer.model", "tokenizer_config.json"}) {
      if (fs::exists(entry.path() / name)) fs::copy_file(entry.path() / name, folder.path(name));
    }
    const Gguf file = Gguf::open((entry.path() / "vocab.gguf").string(), FileBytes::How::kRead);
    const Meta meta = folder.convert(std::ssize(file.meta().strings("tokenizer.ggml.tokens")));
    expect_same_keys(meta, file.meta());
    expect_cases(meta, entry.path() / "cases.json");
  }
}

}  // namespace
}  // namespace skald
