// Merged model files: the logits of a reference, types, tied tables, and refusals.
#include "tools/quantize/export_lora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "adapters/gguf_adapter.h"
#include "quant/registry.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"
#include "tests/tools/quantize/lora_case.h"
#include "tools/quantize/convert_adapter.h"
#include "tools/quantize/quantize.h"

namespace skald {
namespace {

using test::LoraCase;
using testing::AllOf;
using testing::HasSubstr;

class ExportLora : public testing::Test {
 protected:
  ExportReport merge(const std::string& model, std::vector<LoraFile> adapters, const std::string& type = "",
                     int threads = 2) {
    return export_lora({.model = model, .out = out_, .adapters = std::move(adapters), .type = type, .n_threads = threads},
                       {});
  }
  Error refusal(const std::string& model, std::vector<LoraFile> adapters, const std::string& type = "") {
    return test::error_of([&] { merge(model, std::move(adapters), type); });
  }
  /// The model with nothing that rounds.
  std::string in_f32(const LoraCase& c) const {
    const std::string path = dir_.path("f32.gguf");
    quantize_file({.in = c.model, .out = path, .spec = {.type = "F32"}}, {});
    return path;
  }
  Gguf written() const { return Gguf::open(out_, FileBytes::How::kRead); }

  test::TempDir dir_;
  std::string out_ = dir_.path("merged.gguf");
};

class ExportLoraOf : public ExportLora, public testing::WithParamInterface<const char*> {};

TEST_P(ExportLoraOf, GivesTheLogitsOfTheReference) {
  const LoraCase c(GetParam());
  const std::string model = in_f32(c);
  merge(model, {{c.file("adapter.gguf")}});
  EXPECT_TRUE(c.gives(out_, "one.npy"));
  merge(model, {{c.file("adapter.gguf")}, {c.file("second.gguf"), -0.75f}});
  EXPECT_TRUE(c.gives(out_, "both.npy"));
  if (c.folder.filename() == "qwen3moe_experts") return;  // two experts are all but equal for one of its tokens
  merge(model, {{c.file("adapter.gguf"), 0.5f}});
  EXPECT_TRUE(c.gives(out_, "half.npy"));
}

INSTANTIATE_TEST_SUITE_P(All, ExportLoraOf,
                         testing::Values("llama_all", "qwen2_attention", "llama_embeddings", "qwen3moe_experts"),
                         [](const auto& info) { return info.param; });

TEST_F(ExportLora, TakesFoldersOfPeft) {
  const LoraCase c("llama_all");
  const ExportReport report = merge(in_f32(c), {{c.file("peft")}});
  EXPECT_EQ(report.changed, 14);
  EXPECT_TRUE(c.gives(out_, "one.npy"));
}

TEST_F(ExportLora, OtherTensorsAreCopied) {
  const LoraCase c("qwen2_attention");
  merge(c.model, {{c.file("adapter.gguf")}});
  const Gguf before = Gguf::open(c.model, FileBytes::How::kMap), after = written();
  ASSERT_EQ(after.tensors().size(), before.tensors().size());
  for (const GgufTensor& t : before.tensors()) {
    const GgufTensor& other = *after.find(t.name);
    EXPECT_EQ(other.type, t.type);
    const bool changes = t.name.find("attn_q.weight") != t.name.npos || t.name.find("attn_v.weight") != t.name.npos;
    EXPECT_EQ(std::ranges::equal(other.data, t.data), !changes) << t.name;
  }
  EXPECT_EQ(after.meta().entries(), before.meta().entries());
}

TEST_F(ExportLora, TensorsKeepTheirTypeOrGetTheOneThatIsWanted) {
  const LoraCase c("llama_all");
  const std::string quantised = dir_.path("q.gguf");
  quantize_file({.in = c.model, .out = quantised, .spec = {.type = "Q6_K", .pure = true}}, {});
  merge(quantised, {{c.file("adapter.gguf")}});
  EXPECT_EQ(written().find("blk.0.attn_q.weight")->type->name, "q6_k");
  EXPECT_EQ(written().find("token_embd.weight")->type->name, "q6_k");
  merge(quantised, {{c.file("adapter.gguf")}}, "Q8_0");
  EXPECT_EQ(written().find("blk.0.attn_q.weight")->type->name, "q8_0");
  EXPECT_EQ(written().find("token_embd.weight")->type->name, "q6_k");
  EXPECT_EQ(refusal(quantised, {{c.file("adapter.gguf")}}, "q9").code(), Errc::kBadInput);
}

TEST_F(ExportLora, DoesNotDependOnThreads) {
  const LoraCase c("qwen3moe_experts");
  const auto bytes = [&](int threads) {
    merge(c.model, {{c.file("adapter.gguf")}}, "", threads);
    std::ifstream in(out_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes(1), bytes(3));
}

TEST_F(ExportLora, ATableThatIsTheOutputTooBecomesTwo) {
  const std::string path = (test::data_dir() / "golden/gemma3/model.gguf").string();
  const Gguf model = Gguf::open(path, FileBytes::How::kMap);
  ASSERT_FALSE(model.find("output.weight"));
  const Shape table = model.find("token_embd.weight")->shape;
  Adapter adapter;
  adapter.arch = "gemma3";
  const std::vector<float> ones(static_cast<size_t>(table[0]), 1), some(static_cast<size_t>(table[1]), 1);
  adapter.changes["token_embd.weight"] = {{"a", ones, {table[0], 1}}, {"b", some, {table[1], 1}}, 1};
  write_gguf_adapter(adapter, dir_.path("table.gguf"));
  merge(path, {{dir_.path("table.gguf")}});
  const Gguf merged = written();
  const auto &before = model.find("token_embd.weight")->data, &after = merged.find("token_embd.weight")->data;
  EXPECT_FALSE(std::ranges::equal(after, before));
  ASSERT_TRUE(merged.find("output.weight"));
  EXPECT_TRUE(std::ranges::equal(merged.find("output.weight")->data, before)) << "the output stays as it was";
}

TEST_F(ExportLora, RefusesWhatWeightsCannotDo) {
  const LoraCase c("llama_all");
  Adapter activated = read_gguf_adapter(c.file("adapter.gguf"));
  activated.invocation = {5};
  write_gguf_adapter(activated, dir_.path("alora.gguf"));
  const Error e = refusal(c.model, {{dir_.path("alora.gguf")}});
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("alora.gguf"), HasSubstr("activated LoRA")));
  EXPECT_EQ(refusal(c.model, {{c.file("adapter.gguf"), std::numeric_limits<float>::quiet_NaN()}}).code(), Errc::kBadInput);
  EXPECT_THAT(refusal(c.folder.string(), {{c.file("adapter.gguf")}}).what(), HasSubstr("skald convert"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(ExportLora, RefusesAnAdapterOfAnotherModel) {
  const LoraCase llama("llama_all"), qwen("qwen2_attention");
  EXPECT_EQ(refusal(llama.model, {{qwen.file("adapter.gguf")}}).code(), Errc::kBadFile);
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(ExportLora, RefusesToReplaceTheModel) {
  const LoraCase c("qwen2_attention");
  const std::string copy = dir_.path("merged.gguf");
  std::filesystem::copy_file(c.model, copy);
  EXPECT_EQ(refusal(copy, {{c.file("adapter.gguf")}}).code(), Errc::kBadInput);
}

TEST(ConvertAdapter, WritesTheTwinOfAFolder) {
  const LoraCase c("llama_all");
  const test::TempDir dir;
  const ConvertedFile file = convert_adapter(c.file("peft"), c.model, dir.path("out.gguf"), "");
  EXPECT_EQ(file.tensors, 28);
  EXPECT_EQ(read_gguf_adapter(dir.path("out.gguf")).sum(), read_gguf_adapter(c.file("adapter.gguf")).sum());
  EXPECT_EQ(test::error_of([&] {
              convert_adapter(c.file("peft"), LoraCase("llama_embeddings").model, dir.path("no.gguf"), "");
            }).code(),
            Errc::kBadFile);
  EXPECT_FALSE(std::filesystem::exists(dir.path("no.gguf")));
}

TEST(ConvertAdapter, AFolderWithAModelTooCountsAsTheModels) {
  const test::TempDir dir;
  dir.write("adapter_config.json", "{}");
  EXPECT_TRUE(is_adapter_folder(dir.path(""), /*meant=*/false));
  dir.write("config.json", "{}");
  EXPECT_FALSE(is_adapter_folder(dir.path(""), /*meant=*/false));
  EXPECT_TRUE(is_adapter_folder(dir.path(""), /*meant=*/true));
}

}  // namespace
}  // namespace skald
