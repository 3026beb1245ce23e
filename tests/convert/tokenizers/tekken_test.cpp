#include "convert/tokenizers/tekken.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"
#include "text/pre_tokenizer_table.h"

namespace skald {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// a b ab, and a piece that models do not use.
json tekken_file() {
  const std::string pattern(find_pre_tokenizer("tekken")->patterns[0]);
  return {{"config", {{"pattern", pattern}, {"default_vocab_size", 5}, {"default_num_special_tokens", 2}}},
          {"vocab",
           {{{"rank", 0}, {"token_bytes", "YQ=="}},
            {{"rank", 1}, {"token_bytes", "Yg=="}},
            {{"rank", 2}, {"token_bytes", "YWI="}},
            {{"rank", 3}, {"token_bytes", "YWJi"}}}}};
}

TokenizerParts parts_of(const json& file) { return tekken_parts(JsonNode(file, "tekken.json"), PieceTable(8), {}); }

TEST(Tekken, HasSpecialTokensThenPiecesByRank) {
  const TokenizerParts parts = parts_of(tekken_file());
  EXPECT_EQ(parts.model, "gpt2");
  EXPECT_EQ(parts.pre, "tekken");
  EXPECT_EQ(parts.pieces.find(1)->text, "<s>");
  EXPECT_EQ(parts.pieces.find(1)->kind, PieceKind::kControl);
  EXPECT_EQ(parts.pieces.find(4)->text, "ab");
  EXPECT_FALSE(parts.pieces.find(5));
  EXPECT_THAT(parts.merges, ElementsAre("a b"));
  EXPECT_EQ(parts.specials.bos, 1);
  EXPECT_TRUE(parts.specials.add_bos);
}

TEST(Tekken, SpecialTokensMayBeListed) {
  json file = tekken_file();
  file["special_tokens"] = {{{"rank", 1}, {"token_str", "[X]"}, {"is_control", true}}};
  const TokenizerParts parts = parts_of(file);
  EXPECT_EQ(parts.pieces.find(0)->text, "<SPECIAL_0>");
  EXPECT_EQ(parts.pieces.find(1)->text, "[X]");
  EXPECT_EQ(parts.specials.bos, -1);
}

TEST(Tekken, SaysWhatIsWrongWhere) {
  const auto message = [](auto change) {
    json file = tekken_file();
    change(file);
    return std::string(test::error_of([&] { parts_of(file); }).what());
  };
  EXPECT_THAT(message([](json& f) { f.erase("config"); }), HasSubstr("tekken.json: config: missing"));
  EXPECT_THAT(message([](json& f) { f["config"]["default_vocab_size"] = -1; }), HasSubstr("default_vocab_size: want"));
  EXPECT_THAT(message([](json& f) { f["config"]["pattern"] = "x"; }), HasSubstr("convert.pre_tokenizer"));
  EXPECT_THAT(message([](json& f) { f["vocab"][1]["rank"] = -1; }), HasSubstr("vocab[1].rank: want a rank"));
  EXPECT_THAT(message([](json& f) { f["vocab"][1]["rank"] = 0; }), HasSubstr("two pieces with the id 2"));
  EXPECT_THAT(message([](json& f) { f["vocab"][1]["token_bytes"] = "!"; }), HasSubstr("vocab[1].token_bytes: want base64"));
  EXPECT_THAT(message([](json& f) {
                f["special_tokens"] = {{{"rank", 2}, {"token_str", "x"}}};
              }),
              HasSubstr("special_tokens[0].rank"));
}

}  // namespace
}  // namespace skald
