#include "convert/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/convert/hf_folder.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using nlohmann::json;
using test::HfFolder;
using test::SafetensorsBytes;
using ::testing::AllOf;
using ::testing::HasSubstr;

Error error_of(const HfFolder& folder) {
  return test::error_of([&] { Checkpoint c(folder.open()); });
}

SafetensorsBytes one(const char* name) { return SafetensorsBytes().tensor<float>(name, "F32", {1}, {1}); }

json index(const json& map) { return {{"weight_map", map}}; }

TEST(Checkpoint, OfOneFile) {
  const HfFolder folder(json::object());
  folder.checkpoint(one("a.b"));
  const Checkpoint c(folder.open());
  ASSERT_NE(c.find("a.b"), nullptr);
  EXPECT_EQ(c.find("a.c"), nullptr);
}

TEST(Checkpoint, OfShardsThatAnIndexNames) {
  const HfFolder folder(json::object());
  folder.write("s1", one("a").str());
  folder.write("s2", one("b").str());
  folder.write("model.safetensors.index.json", index({{"a", "s1"}, {"b", "s2"}}).dump());
  const Checkpoint c(folder.open());
  EXPECT_NE(c.find("a"), nullptr);
  EXPECT_NE(c.find("b"), nullptr);
}

TEST(Checkpoint, TheIndexDecidesWhichFileHasATensor) {
  const HfFolder folder(json::object());
  const auto two = [](float a, float b) {
    return SafetensorsBytes().tensor<float>("a", "F32", {1}, {a}).tensor<float>("b", "F32", {1}, {b}).str();
  };
  folder.write("old", two(1, 2));
  folder.write("overlay", two(3, 4));
  folder.write("model.safetensors.index.json", index({{"a", "overlay"}, {"b", "old"}}).dump());
  const Checkpoint c(folder.open());
  const auto value = [&](const char* name) {
    float x = 0;
    c.find(name)->read(0, 1, 1, &x);
    return x;
  };
  EXPECT_EQ(c.tensors().size(), 2u);
  EXPECT_EQ(value("a"), 3);
  EXPECT_EQ(value("b"), 2);
}

TEST(Checkpoint, TellsOfTensorsThatAreNotWhereTheIndexSays) {
  const HfFolder folder(json::object());
  folder.write("s1", one("a").str());
  folder.write("s2", one("b").str());
  folder.write("model.safetensors.index.json", index({{"a", "s2"}, {"b", "s2"}, {"c", "s1"}}).dump());
  testing::internal::CaptureStderr();
  const Checkpoint c(folder.open());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("2 tensors are not in the files that it names: a, c"));
  EXPECT_EQ(c.find("a"), nullptr);
}

TEST(Checkpoint, IndicesThatAreWrong) {
  const auto bad = [](const json& content, const std::string& message, Errc code = Errc::kBadFile) {
    const HfFolder folder(json::object());
    folder.write("s1", one("a").str());
    folder.write("s2", one("a").str());
    folder.write("model.safetensors.index.json", content.dump());
    const Error e = error_of(folder);
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_THAT(e.what(), HasSubstr(message));
  };
  bad(json::object(), "weight_map: want an object");
  bad(json::array(), "weight_map: want an object");
  bad(index(json::object()), "weight_map: want an object");
  bad(index({{"a", 3}}), "weight_map: a: want a file's name");
  bad(index({{"a", "../s1"}}), "\"../s1\" is not the name of a file in it");
  bad(index({{"a", "/etc/passwd"}}), "is not the name of a file in it");
  bad(index({{"a", "s3"}}), "the file \"s3\" is not there", Errc::kNotFound);
  bad(index({{"b", "s1"}, {"c", "s2"}}), "tensor a is in two files");
}

TEST(Checkpoint, WithoutSafetensors) {
  const HfFolder folder(json::object());
  EXPECT_EQ(error_of(folder).code(), Errc::kNotFound);
  folder.write("pytorch_model.bin", "");
  EXPECT_EQ(error_of(folder).code(), Errc::kUnsupported);
  EXPECT_THAT(error_of(folder).what(), HasSubstr("save the model as safetensors"));
}

TEST(Checkpoint, WhatIsThereInsteadOfWeights) {
  const auto bad = [](const std::vector<std::pair<const char*, std::string>>& files, const char* message) {
    const HfFolder folder(json::object());
    for (const auto& [name, content] : files) folder.write(name, content);
    EXPECT_THAT(error_of(folder).what(), HasSubstr(message));
  };
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n";
  bad({{"model.safetensors", pointer}}, "model.safetensors is a Git LFS pointer");
  bad({{"model.safetensors.index.json", pointer}}, "index.json is a Git LFS pointer");
  bad({{"s1", pointer}, {"model.safetensors.index.json", index({{"a", "s1"}}).dump()}}, "s1 is a Git LFS pointer");
  bad({{"adapter_config.json", "{}"}, {"adapter_model.safetensors", one("a").str()}}, "a LoRA adapter, not a model");
  bad({{"model-00001-of-00002.safetensors", one("a").str()}}, "has model-00001-of-00002.safetensors, but neither");
  bad({{"s1", one("a").str()}, {"model.safetensors.index.json", index({{"a", "s1"}, {"b", "s2"}, {"c", "s3"}}).dump()}},
      "2 of its 3 files are not there: \"s2\" and others");
  bad({{"x.gguf", ""}}, "x.gguf, which is a model file of its own");
  bad({{"pytorch_model-00001-of-00002.bin", ""}}, "which only Python can read safely");
  bad({{"consolidated.00.pth", ""}}, "which only Python can read safely");
  bad({{"tf_model.h5", ""}}, "tf_model.h5, a format that cannot be read");
}

TEST(Checkpoint, NamesWithAndWithoutWhatIsInFront) {
  const HfFolder folder(json::object());
  folder.checkpoint(SafetensorsBytes()
                        .tensor<float>("norm.weight", "F32", {1}, {1})
                        .tensor<float>("language_model.model.a", "F32", {1}, {1})
                        .tensor<float>("model.language_model.b", "F32", {1}, {1})
                        .tensor<float>("h.0.c", "F32", {1}, {1}));
  const Checkpoint c(folder.open());
  EXPECT_NE(c.find("model.norm.weight"), nullptr);
  EXPECT_NE(c.find("model.a"), nullptr);
  EXPECT_NE(c.find("model.b"), nullptr);
  EXPECT_NE(c.find("transformer.h.0.c"), nullptr);
  EXPECT_EQ(c.find("other.norm.weight"), nullptr);
}

TEST(Checkpoint, WholeNumbersAreNoWeights) {
  const HfFolder folder(json::object());
  folder.checkpoint(SafetensorsBytes().tensor<int64_t>("position_ids", "I64", {1}, {1}));
  EXPECT_EQ(Checkpoint(folder.open()).find("position_ids"), nullptr);
}

TEST(Checkpoint, F8HasTheScalesBesideIt) {
  const HfFolder folder(json{{"quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", {2, 2}}}}});
  const std::vector<uint8_t> ones(6, 0x38);
  folder.checkpoint(SafetensorsBytes()
                        .tensor("tiles.weight", "F8_E4M3", {2, 3}, ones)
                        .tensor<float>("tiles.weight_scale_inv", "F32", {1, 2}, {2, 3})
                        .tensor("rows.weight", "F8_E4M3", {2, 3}, ones)
                        .tensor<float>("rows.weight_scale", "F32", {2, 1}, {4, 5})
                        .tensor("all.weight", "F8_E4M3", {2, 3}, ones)
                        .tensor<float>("all.weight_scale", "F32", {}, {7})
                        .tensor("none.weight", "F8_E4M3", {2, 3}, ones));
  const Checkpoint c(folder.open());
  EXPECT_EQ(c.tensors().size(), 4u) << "scales are no tensors of their own";
  const auto read = [&](const char* name) {
    std::vector<float> out(6);
    c.find(name)->read(0, 1, 6, out.data());
    return out;
  };
  EXPECT_THAT(read("tiles.weight"), ::testing::ElementsAre(2, 2, 3, 2, 2, 3));
  EXPECT_THAT(read("rows.weight"), ::testing::ElementsAre(4, 4, 4, 5, 5, 5));
  EXPECT_THAT(read("all.weight"), ::testing::Each(7));
  EXPECT_THAT(read("none.weight"), ::testing::Each(1));
}

TEST(Checkpoint, ScalesThatDoNotFit) {
  const HfFolder folder(json{{"quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", {2, 2}}}}});
  const std::vector<uint8_t> ones(16, 0x38);
  folder.checkpoint(SafetensorsBytes()
                        .tensor("x.weight", "F8_E4M3", {4, 4}, ones)
                        .tensor<float>("x.weight_scale_inv", "F32", {1, 2}, {2, 3}));
  EXPECT_THAT(error_of(folder).what(), HasSubstr("tensor x.weight_scale_inv: 2 scales for (4, 4) in tiles of (2, 2)"));
  for (const json& size : {json{0, 2}, json{2}, json{1e9, 1}, json("x")}) {
    const HfFolder bad(json{{"quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", size}}}});
    bad.checkpoint(one("a"));
    EXPECT_EQ(error_of(bad).code(), Errc::kBadFile) << size;
  }
}

TEST(Checkpoint, OtherQuantisationsAreRefusedByName) {
  const HfFolder folder(json{{"quantization_config", {{"quant_method", "gptq"}}}});
  folder.checkpoint(one("a"));
  EXPECT_EQ(error_of(folder).code(), Errc::kUnsupported);
  EXPECT_THAT(error_of(folder).what(), HasSubstr("quantised by \"gptq\""));
}

TEST(Checkpoint, MxBlocksAndScalesAreOneTensor) {
  const HfFolder folder(json::object());
  const std::vector<uint8_t> codes(2 * 3 * 16, 0x21), scales(6, 127);
  folder.checkpoint(SafetensorsBytes().tensor("x_blocks", "U8", {2, 3, 16}, codes).tensor("x_scales", "U8", {2, 3}, scales));
  const Checkpoint c(folder.open());
  const StoredTensor* x = c.find("x");
  ASSERT_NE(x, nullptr);
  EXPECT_THAT(x->shape, ::testing::ElementsAre(2, 96));
  std::vector<float> out(2);
  x->read(0, 1, 2, out.data());
  EXPECT_THAT(out, ::testing::ElementsAre(0.5F, 1));
  const HfFolder bad(json::object());
  bad.checkpoint(SafetensorsBytes().tensor("x_blocks", "U8", {2, 3, 16}, codes).tensor("x_scales", "U8", {3, 2}, scales));
  EXPECT_THAT(error_of(bad).what(), HasSubstr("tensor x_blocks: want blocks of 16 bytes"));
}

}  // namespace
}  // namespace skald
