// Reading well-formed files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/gguf.h"
#include "tests/io/gguf_bytes.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using test::GgufBytes;
using ::testing::ElementsAre;

std::string golden() { return (test::data_dir() / "golden/llama_mha_q8_0/model.gguf").string(); }

TEST(GgufRead, ReadsAFileOfAnotherWriter) {
  for (const auto how : {FileBytes::How::kMap, FileBytes::How::kRead}) {
    const Gguf file = Gguf::open(golden(), how);
    EXPECT_EQ(file.version(), 3u);
    EXPECT_EQ(file.file_bytes(), 173920);
    EXPECT_EQ(file.meta().str("general.architecture"), "llama");
    EXPECT_EQ(file.meta().strings("tokenizer.ggml.tokens").size(), 448u);
    const GgufTensor* t = file.find("token_embd.weight");
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->type->name, "q8_0");
    EXPECT_EQ(t->shape[0], 448) << "rows first";
    EXPECT_EQ(static_cast<int64_t>(t->data.size()), t->shape.elements() / 32 * 34);
  }
}

TEST(GgufRead, FindsEveryTensorAndNoOther) {
  const Gguf file = Gguf::open(golden(), FileBytes::How::kMap);
  for (const GgufTensor& t : file.tensors()) EXPECT_EQ(file.find(t.name), &t);
  EXPECT_EQ(file.find("token_embd"), nullptr);
  EXPECT_EQ(file.find(""), nullptr);
}

TEST(GgufRead, AMovedFileStillFindsItsTensors) {
  Gguf a = Gguf::open(golden(), FileBytes::How::kMap);
  Gguf b = std::move(a);
  const GgufTensor* t = b.find("output_norm.weight");
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t->name, "output_norm.weight");
}

TEST(GgufRead, ReadsVersion2) {
  GgufBytes b;
  b.head(1, 1, 2).key("k", test::kUint8).number(uint8_t{5}).tensor("t", {4}, test::kF32, 0).data(16);
  const Gguf file = b.parse();
  EXPECT_EQ(file.version(), 2u);
  EXPECT_EQ(file.meta().i64("k"), 5);
  EXPECT_EQ(file.tensors().size(), 1u);
}

TEST(GgufRead, ReversesTheDimensions) {
  GgufBytes b;
  b.head(1, 0).tensor("t", {32, 3, 2, 1}, test::kQ8_0, 0).data(34 * 6);
  EXPECT_EQ(b.parse().tensors()[0].shape, (Shape{1, 2, 3, 32}));
}

TEST(GgufRead, AFileWithoutTensorsMayEndAfterItsHead) {
  GgufBytes b;
  b.head(0, 1).key("k", test::kString).text("v");
  const Gguf file = b.parse();
  EXPECT_EQ(file.meta().str("k"), "v");
  EXPECT_TRUE(file.tensors().empty());
}

TEST(GgufRead, TensorsMayLieInAnyOrderWithGapsAndAnUnpaddedEnd) {
  GgufBytes b;
  b.head(2, 0).tensor("second", {4}, test::kF32, 96).tensor("first", {4}, test::kF32, 0).data(96 + 16);
  const Gguf file = b.parse();
  EXPECT_EQ(file.find("second")->data.data() - file.find("first")->data.data(), 96);
}

TEST(GgufRead, ObeysTheFilesAlignment) {
  GgufBytes b;
  b.head(2, 1).key("general.alignment", test::kUint32).number(uint32_t{64});
  b.tensor("a", {4}, test::kF32, 0).tensor("b", {4}, test::kF32, 64).data(64 + 16, 64);
  const Gguf file = b.parse();
  EXPECT_EQ((reinterpret_cast<const char*>(file.find("a")->data.data()) - b.str().data()) % 64, 0);
  EXPECT_EQ(file.find("b")->data.data() - file.find("a")->data.data(), 64);
}

TEST(GgufRead, ReadsNestedArrays) {
  GgufBytes b;
  b.head(0, 1).key("k", test::kArray).number(test::kArray).number(uint64_t{2});
  b.number(test::kUint8).number(uint64_t{2}).number(uint8_t{1}).number(uint8_t{2});
  b.number(test::kString).number(uint64_t{1}).text("x");
  const MetaArray want{
      std::vector<MetaArray>{MetaArray{std::vector<uint8_t>{1, 2}}, MetaArray{std::vector<std::string>{"x"}}}};
  EXPECT_EQ(std::get<MetaArray>(*b.parse().meta().find("k")), want);
}

TEST(GgufRead, OpensAnEmptyNameNowhere) {
  EXPECT_EQ(test::error_of([] { Gguf::open("", FileBytes::How::kMap); }).code(), Errc::kNotFound);
}

TEST(GgufTypes, HaveTheSizesOfTheReferencePackage) {
  struct Row {
    uint32_t id;
    const char* name;
    int64_t block, bytes;
  };
  // Printed from gguf.GGML_QUANT_SIZES (0.19), which has no q2_0.
  constexpr Row kRows[] = {
      {0, "f32", 1, 4},         {1, "f16", 1, 2},         {2, "q4_0", 32, 18},      {3, "q4_1", 32, 20},
      {6, "q5_0", 32, 22},      {7, "q5_1", 32, 24},      {8, "q8_0", 32, 34},      {9, "q8_1", 32, 40},
      {10, "q2_k", 256, 84},    {11, "q3_k", 256, 110},   {12, "q4_k", 256, 144},   {13, "q5_k", 256, 176},
      {14, "q6_k", 256, 210},   {15, "q8_k", 256, 292},   {16, "iq2_xxs", 256, 66}, {17, "iq2_xs", 256, 74},
      {18, "iq3_xxs", 256, 98}, {19, "iq1_s", 256, 50},   {20, "iq4_nl", 32, 18},   {21, "iq3_s", 256, 110},
      {22, "iq2_s", 256, 82},   {23, "iq4_xs", 256, 136}, {24, "i8", 1, 1},         {25, "i16", 1, 2},
      {26, "i32", 1, 4},        {27, "i64", 1, 8},        {28, "f64", 1, 8},        {29, "iq1_m", 256, 56},
      {30, "bf16", 1, 2},       {34, "tq1_0", 256, 54},   {35, "tq2_0", 256, 66},   {39, "mxfp4", 32, 17},
      {40, "nvfp4", 64, 36},    {41, "q1_0", 128, 18},    {42, "q2_0", 64, 18},
  };
  for (const Row& row : kRows) {
    const GgufType* t = find_gguf_type(row.id);
    ASSERT_NE(t, nullptr) << row.name;
    EXPECT_EQ(t->name, row.name);
    EXPECT_EQ(t->block, row.block) << row.name;
    EXPECT_EQ(t->block_bytes, row.bytes) << row.name;
  }
}

TEST(GgufTypes, WithdrawnAndUnknownNumbersAreNull) {
  for (const uint32_t id : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 1000u, 0xffffffffu})
    EXPECT_EQ(find_gguf_type(id), nullptr);
}

}  // namespace
}  // namespace skald
