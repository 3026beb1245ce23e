// Listings of a real file and of one full of odd values.
#include "tools/report/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "convert/conversion.h"
#include "io/gguf.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using ::testing::HasSubstr;

Gguf golden() { return Gguf::open((test::data_dir() / "golden/llama_mha_q8_0/model.gguf").string(), FileBytes::How::kMap); }

// A file with content that a listing could trip over.
class OddFile : public ::testing::Test {
 protected:
  OddFile() {
    GgufWriter w;
    w.meta.set("nan", std::nanf(""));
    w.meta.set("inf", -std::numeric_limits<double>::infinity());
    w.meta.set("bad\xff", std::string("\x1b[2J\xc3"));
    w.meta.set("long", MetaArray{std::vector<int32_t>(65, 7)});
    w.meta.set("short", MetaArray{std::vector<bool>(64, true)});
    w.meta.set("nested", MetaArray{std::vector<MetaArray>{MetaArray{std::vector<std::string>{"x"}}}});
    w.meta.set("byte", uint8_t{65});
    w.add_tensor("\nname", Shape{2, 32}, 8, data_);
    w.write(dir_.path("m.gguf"));
  }
  Gguf open() const { return Gguf::open(dir_.path("m.gguf"), FileBytes::How::kMap); }

  test::TempDir dir_;
  std::vector<std::byte> data_ = std::vector<std::byte>(68);
};

TEST(InspectTable, ShowsMetadataTensorsAndTotals) {
  const std::string text = inspect_table(golden());
  EXPECT_THAT(text, HasSubstr("GGUF v3"));
  EXPECT_THAT(text, HasSubstr("general.architecture"));
  EXPECT_THAT(text, HasSubstr("\"llama\""));
  EXPECT_THAT(text, HasSubstr("[448 strings: \"<unk>\", "));
  EXPECT_THAT(text, HasSubstr("token_embd.weight"));
  EXPECT_THAT(text, HasSubstr("(448, 64)"));
  EXPECT_THAT(text, HasSubstr("q8_0"));
}

TEST(InspectTable, CountsParameters) {
  const Gguf file = golden();
  int64_t n = 0;
  for (const GgufTensor& t : file.tensors()) n += t.shape.elements();
  EXPECT_THAT(inspect_table(file), HasSubstr(std::to_string(n) + " parameters"));
  EXPECT_EQ(inspect_json(file)["parameters"], n);
}

TEST_F(OddFile, TableHasNoControlCharactersButLineFeeds) {
  const std::string text = inspect_table(open());
  for (const char c : text) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int{c};
  EXPECT_THAT(text, HasSubstr(R"("\x1b[2J\xc3")"));
  EXPECT_THAT(text, HasSubstr(R"(\nname)"));
  EXPECT_THAT(text, HasSubstr("[65 int32s: 7, 7, 7, ...]"));
  EXPECT_THAT(text, HasSubstr("65\n")) << "a byte is a number";
}

TEST_F(OddFile, JsonCanBeDumpedAndParsed) {
  const auto j = nlohmann::json::parse(inspect_json(open()).dump());
  EXPECT_EQ(j["metadata"]["nan"], "nan");
  EXPECT_EQ(j["metadata"]["inf"], "-inf");
  EXPECT_EQ(j["metadata"]["bad\ufffd"], "\x1b[2J\ufffd");
  EXPECT_EQ(j["metadata"]["byte"], 65);
  EXPECT_EQ(j["metadata"]["nested"], nlohmann::json::parse(R"([["x"]])"));
}

TEST_F(OddFile, JsonAbbreviatesArraysOfMoreThan64Items) {
  const auto metadata = inspect_json(open())["metadata"];
  EXPECT_EQ(metadata["long"]["length"], 65);
  EXPECT_EQ(metadata["long"]["first"], nlohmann::json(std::vector<int>(8, 7)));
  EXPECT_EQ(metadata["short"].size(), 64u);
}

TEST_F(OddFile, JsonDescribesTensorsAndTypes) {
  const auto j = inspect_json(open());
  ASSERT_EQ(j["tensors"].size(), 1u);
  EXPECT_EQ(j["tensors"][0], nlohmann::json::parse(R"({"name": "\nname", "type": "q8_0", "shape": [2, 32], "bytes": 68})"));
  EXPECT_EQ(j["types"]["q8_0"], nlohmann::json::parse(R"({"tensors": 1, "elements": 64, "bytes": 68})"));
}

TEST(InspectJson, HasTheWholeMetadata) {
  const Gguf file = golden();
  const auto j = inspect_json(file);
  EXPECT_EQ(j["metadata"].size(), file.meta().entries().size());
  EXPECT_EQ(j["metadata"]["tokenizer.ggml.tokens"]["length"], 448);
  EXPECT_EQ(j["tensors"].size(), file.tensors().size());
  EXPECT_EQ(j["version"], 3);
}

}  // namespace
}  // namespace skald
