// Adapters in GGUF files: what is written is read again, and files of others are refused by name.
#include "adapters/gguf_adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "io/gguf.h"
#include "quant/registry.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// An adapter's file made by hand.
class AdapterFile {
 public:
  AdapterFile() {
    writer.meta.set("general.architecture", std::string("llama"));
    writer.meta.set("general.type", std::string("adapter"));
    writer.meta.set("adapter.type", std::string("lora"));
    writer.meta.set("adapter.lora.alpha", 8.0f);
  }

  AdapterFile& tensor(const std::string& name, const Shape& shape, std::vector<float> values = {}) {
    if (values.empty()) values = test::normal(shape.elements(), ++seed_);
    values_.push_back(std::move(values));
    writer.add_tensor(name, shape, 0, std::as_bytes(std::span(values_.back())));
    return *this;
  }
  AdapterFile& pair(const std::string& name, const Shape& a, const Shape& b) {
    return tensor(name + ".lora_a", a).tensor(name + ".lora_b", b);
  }
  std::string path() const { return dir_.path("lora.gguf"); }
  Adapter read() const {
    writer.write(path());
    return read_gguf_adapter(path());
  }
  Error refusal() const {
    return test::error_of([&] { read(); });
  }

  GgufWriter writer;

 private:
  test::TempDir dir_;
  std::deque<std::vector<float>> values_;
  uint64_t seed_ = 0;
};

constexpr const char* kQ = "blk.0.attn_q.weight";

TEST(GgufAdapter, HasTheMatricesAndTheFactor) {
  const auto dir = test::data_dir() / "lora/llama_all";
  const Adapter adapter = read_gguf_adapter((dir / "adapter.gguf").string());
  EXPECT_EQ(adapter.name, "adapter");
  EXPECT_EQ(adapter.arch, "llama");
  EXPECT_EQ(adapter.changes.size(), 14u);
  EXPECT_EQ(adapter.most_rank(), 4);
  const LowRank& q = adapter.changes.at(kQ);
  EXPECT_EQ(q.factor, 2);
  EXPECT_EQ(q.a.shape(), (Shape{4, 256}));
  EXPECT_EQ(q.b.shape(), (Shape{256, 4}));
}

TEST(GgufAdapter, OfExpertsAndTables) {
  AdapterFile file;
  const Adapter adapter =
      file.pair("blk.0.ffn_up_exps.weight", {3, 2, 16}, {3, 8, 2}).pair("token_embd.weight", {40, 2}, {16, 2}).read();
  EXPECT_EQ(adapter.changes.at("blk.0.ffn_up_exps.weight").rank(), 2);
  EXPECT_EQ(adapter.changes.at("token_embd.weight").rank(), 2);
  EXPECT_EQ(adapter.changes.at("token_embd.weight").factor, 4);
}

TEST(GgufAdapter, WithoutAlphaTheFactorIsOne) {
  AdapterFile file;
  file.writer.meta.set("adapter.lora.alpha", 0.0f);
  EXPECT_EQ(file.pair(kQ, {2, 16}, {8, 2}).read().changes.at(kQ).factor, 1);
}

TEST(GgufAdapter, TellsWhatItIsFor) {
  AdapterFile file;
  file.writer.meta.set("general.base_model.0.name", std::string("Tiny Llama"));
  file.writer.meta.set("adapter.lora.task_name", std::string("poems"));
  file.writer.meta.set("adapter.lora.prompt_prefix", std::string("Write:"));
  file.writer.meta.set("adapter.alora.invocation_tokens", MetaArray{std::vector<uint32_t>{5, 6}});
  const Adapter adapter = file.pair(kQ, {2, 16}, {8, 2}).read();
  EXPECT_EQ(adapter.base, "Tiny Llama");
  EXPECT_EQ(adapter.task, "poems");
  EXPECT_EQ(adapter.prefix, "Write:");
  EXPECT_THAT(adapter.invocation, ElementsAre(5, 6));
}

TEST(GgufAdapter, IsReadAsItWasWritten) {
  const test::TempDir dir;
  for (const char* name : {"llama_all", "llama_embeddings", "qwen3moe_experts", "qwen2_attention"}) {
    Adapter want = read_gguf_adapter((test::data_dir() / "lora" / name / "adapter.gguf").string());
    want.invocation = {3, 4};
    want.task = "poems";
    want.base = "Tiny";
    write_gguf_adapter(want, dir.path("out.gguf"));
    const Adapter got = read_gguf_adapter(dir.path("out.gguf"));
    EXPECT_EQ(got.sum(), want.sum()) << name;
    EXPECT_EQ(got.arch, want.arch);
    EXPECT_EQ(got.task, "poems");
    EXPECT_EQ(got.base, "Tiny");
  }
}

TEST(GgufAdapter, FactorsThatDifferGoIntoB) {
  Adapter adapter;
  adapter.arch = "llama";
  const std::vector<float> a = test::normal(32, 1), b = test::normal(16, 2);
  adapter.changes["blk.0.attn_k.weight"] = {{"a", a, {2, 16}}, {"b", b, {8, 2}}, 4};
  adapter.changes["blk.0.attn_q.weight"] = {{"a", a, {2, 16}}, {"b", b, {8, 2}}, 3};
  const test::TempDir dir;
  write_gguf_adapter(adapter, dir.path("out.gguf"));
  const LowRank got = read_gguf_adapter(dir.path("out.gguf")).changes.at(kQ);
  EXPECT_EQ(got.factor, 4);
  std::vector<float> want = b;
  for (float& x : want) x *= 0.75f;
  EXPECT_TRUE(test::close_to(got.b.values(), want, 1e-6));
}

TEST(GgufAdapter, MayBeWrittenInOtherTypes) {
  AdapterFile file;
  const Adapter adapter = file.pair(kQ, {2, 64}, {32, 2}).read();
  const test::TempDir dir;
  for (const char* type : {"f32", "f16", "bf16", "q8_0"}) {
    write_gguf_adapter(adapter, dir.path("out.gguf"), type);
    const Gguf out = Gguf::open(dir.path("out.gguf"), FileBytes::How::kMap);
    EXPECT_EQ(out.find("blk.0.attn_q.weight.lora_a")->type->name, type);
    EXPECT_TRUE(test::close_to(read_gguf_adapter(dir.path("out.gguf")).changes.at(kQ).a.values(),
                               adapter.changes.at(kQ).a.values(), 0.02));
  }
  EXPECT_EQ(test::error_of([&] { write_gguf_adapter(adapter, dir.path("out.gguf"), "q9"); }).code(), Errc::kBadInput);
}

TEST(GgufAdapter, RefusesAModelInItsPlace) {
  const std::string model = (test::data_dir() / "golden/llama_gqa/model.gguf").string();
  const Error e = test::error_of([&] { read_gguf_adapter(model); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), AllOf(HasSubstr(model), HasSubstr("general.type"), HasSubstr("want an adapter")));
}

TEST(GgufAdapter, RefusesOtherKindsOfAdapters) {
  AdapterFile file;
  file.writer.meta.set("adapter.type", std::string("control_vector"));
  const Error e = file.pair(kQ, {2, 16}, {8, 2}).refusal();
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("adapter.type"), HasSubstr("control_vector")));
}

TEST(GgufAdapter, RefusesMatricesThatDoNotFitEachOther) {
  const auto says = [](const Shape& a, const Shape& b, const char* message) {
    AdapterFile file;
    const Error e = file.pair(kQ, a, b).refusal();
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_THAT(e.what(), AllOf(HasSubstr(kQ), HasSubstr(message)));
  };
  says({2, 16}, {8, 3}, "their ranks differ");
  says({16}, {8}, "want two matrices");
  says({3, 2, 16}, {8, 2}, "want two matrices");
}

TEST(GgufAdapter, RefusesARankOfNothing) {
  AdapterFile file;
  file.pair(kQ, {1, 16}, {8, 1}).read();
  std::ifstream in(file.path(), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  const std::string name = std::string(kQ) + ".lora_a";
  const uint64_t rank = 0;
  // After the name: the number of dimensions, and these.
  bytes.replace(bytes.find(name) + name.size() + 4 + 8, 8, reinterpret_cast<const char*>(&rank), 8);
  std::ofstream(file.path(), std::ios::binary) << bytes;
  const Error e = test::error_of([&] { read_gguf_adapter(file.path()); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), HasSubstr(name));
}

TEST(GgufAdapter, RefusesAMatrixWithoutItsTwin) {
  AdapterFile a, b, empty;
  EXPECT_THAT(a.tensor(std::string(kQ) + ".lora_a", {2, 16}).refusal().what(),
              HasSubstr("blk.0.attn_q.weight.lora_b is missing"));
  EXPECT_THAT(b.tensor(std::string(kQ) + ".lora_b", {8, 2}).refusal().what(),
              HasSubstr("blk.0.attn_q.weight.lora_a is missing"));
  EXPECT_EQ(empty.refusal().code(), Errc::kBadFile);
}

TEST(GgufAdapter, RefusesTensorsThatAreNoMatricesOfIt) {
  AdapterFile file;
  const Error e = file.pair(kQ, {2, 16}, {8, 2}).tensor("output_norm.weight", {16}).refusal();
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr("output_norm.weight"));
}

TEST(GgufAdapter, RefusesValuesThatAreNotFinite) {
  AdapterFile file;
  std::vector<float> values(32, 1);
  values[5] = std::numeric_limits<float>::quiet_NaN();
  const Error e =
      file.tensor(std::string(kQ) + ".lora_a", {2, 16}, values).tensor(std::string(kQ) + ".lora_b", {8, 2}).refusal();
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("lora_a"), HasSubstr("value 5 of it is not finite")));
  AdapterFile alpha;
  alpha.writer.meta.set("adapter.lora.alpha", std::numeric_limits<float>::infinity());
  EXPECT_THAT(alpha.pair(kQ, {2, 16}, {8, 2}).refusal().what(), HasSubstr("adapter.lora.alpha"));
}

TEST(GgufAdapter, RefusesInvocationsThatAreNoTokens) {
  AdapterFile file;
  file.writer.meta.set("adapter.alora.invocation_tokens", MetaArray{std::vector<int32_t>{-1}});
  EXPECT_THAT(file.pair(kQ, {2, 16}, {8, 2}).refusal().what(), HasSubstr("-1 is no token"));
}

TEST(AdapterSum, DependsOnAllThatDecidesItsNumbers) {
  const auto sum = [](float factor, float value, std::vector<TokenId> invocation) {
    Adapter adapter;
    adapter.invocation = std::move(invocation);
    adapter.changes[kQ] = {{"a", std::vector{value, 2.0f}, {1, 2}}, {"b", std::vector{3.0f}, {1, 1}}, factor};
    return adapter.sum();
  };
  const Sha256Sum one = sum(1, 1, {});
  EXPECT_EQ(one, sum(1, 1, {}));
  EXPECT_NE(one, sum(2, 1, {}));
  EXPECT_NE(one, sum(1, 5, {}));
  EXPECT_NE(one, sum(1, 1, {4}));
}

}  // namespace
}  // namespace skald
