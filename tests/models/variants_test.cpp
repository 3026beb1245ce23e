// Variants without golden files: one model in several storage formats, families against each other, errors of metadata.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "backend/cpu/cpu_backend.h"
#include "models/parts/hparams.h"
#include "quant/registry.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/tiers.h"

namespace skald {
namespace {

using test::Golden;

/// The model with its matrices encoded in another format.
std::shared_ptr<const LoadedModel> converted(const LoadedModel& model, const Format& to) {
  WeightSet set;
  std::vector<Buffer> memory;
  for (const auto& [name, w] : model.weights().weights) {
    const Format& from = *find_format(w.type->id);
    const Format& format = w.shape.rank() == 2 && w.shape.back() % to.block == 0 ? to : format_f32;
    std::vector<float> values(static_cast<size_t>(w.shape.elements()));
    from.decode(w.data, values.data(), w.shape.elements());
    memory.emplace_back(format.bytes(w.shape.elements()));
    format.encode(values.data(), memory.back().data(), w.shape.elements());
    set.weights.emplace(name,
                        WeightSet::Weight{find_gguf_type(format.id), w.shape, memory.back().data(), memory.back().size()});
  }
  return LoadedModel::from_memory(model.meta(), std::move(set), std::move(memory));
}

/// Root mean square difference to the golden logits, in units of their spread; KV cache in f32.
double distance(const Golden& golden, const LoadedModel& model) {
  CpuBackend backend(2, test::unrounded_tier());
  Runner runner(model.step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
  const std::vector<float> got = test::logits_of(runner, golden.prompt_ids, 24, 24);
  const test::Matrix want = golden.logits("logits");
  double squares = 0;
  for (size_t i = 0; i < got.size(); ++i)
    squares += std::pow(static_cast<double>(got[i]) - static_cast<double>(want.values[i]), 2);
  return std::sqrt(squares / static_cast<double>(got.size())) / golden.logit_std;
}

// Root mean square of each format's loss on its way from f32, at most; and that it is not exact by mistake.
TEST(Converted, FormatsLoseAsMuchAsTheyShould) {
  const std::map<std::string_view, std::pair<double, double>> bounds = {
      {"f32", {0, 1e-4}}, {"f16", {1e-5, 3e-3}}, {"bf16", {1e-4, 3e-2}}, {"q8_0", {1e-3, 5e-2}}, {"q4_0", {3e-2, 0.5}}};
  const Golden golden(test::data_dir() / "golden/llama_mha");
  const auto original = golden.load();
  for (const Format* format : formats()) {
    const auto bound = bounds.find(format->name);
    if (bound == bounds.end()) continue;
    const double lost = distance(golden, *converted(*original, *format));
    EXPECT_GE(lost, bound->second.first) << format->name;
    EXPECT_LE(lost, bound->second.second) << format->name;
  }
}

// Qwen2's pairs of half heads are Llama's neighbouring pairs when the rows of Q and K are reordered.
TEST(Families, Qwen2IsLlamaWithItsRowsReorderedAndBiases) {
  const auto permute = [](std::vector<float>& w, int64_t heads, int64_t d_head, int64_t cols) {
    std::vector<float> out(w.size());
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < d_head; ++i) {
        const int64_t from = h * d_head + (i % 2 ? d_head / 2 : 0) + i / 2, to = h * d_head + i;
        std::copy_n(w.begin() + from * cols, cols, out.begin() + to * cols);
      }
    w = std::move(out);
  };
  const test::SmallModel qwen{.arch = "qwen2"}, llama{.arch = "llama"};
  const auto original = test::load(qwen);
  WeightSet set;
  std::vector<Buffer> memory;
  for (const auto& [name, w] : original->weights().weights) {
    std::vector<float> values(static_cast<size_t>(w.shape.elements()));
    find_format(w.type->id)->decode(w.data, values.data(), w.shape.elements());
    const int64_t cols = w.shape.rank() == 2 ? w.shape[1] : 1;
    if (name.find("attn_q.") != std::string::npos) permute(values, qwen.n_heads, qwen.d_k, cols);
    if (name.find("attn_k.") != std::string::npos) permute(values, qwen.n_kv_heads, qwen.d_k, cols);
    memory.emplace_back(w.bytes);
    format_f32.encode(values.data(), memory.back().data(), w.shape.elements());
    set.weights.emplace(name, WeightSet::Weight{w.type, w.shape, memory.back().data(), w.bytes});
  }
  const auto reordered = LoadedModel::from_memory(llama.meta(), std::move(set), std::move(memory));
  CpuBackend backend(1, {});
  std::vector<std::vector<float>> logits;
  for (const LoadedModel* m : {original.get(), reordered.get()}) {
    Runner runner(m->step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
    logits.push_back(test::logits_of(runner, test::some_tokens(20, 1, qwen.n_vocab), 20, 15));
  }
  EXPECT_TRUE(test::close_to(logits[1], logits[0], 1e-4));
}

// Files made of transformers' GlmForCausalLM keep queries, keys and values apart.
TEST(Families, ChatGlmTakesItsProjectionsPackedOrSeparate) {
  const Golden golden(test::data_dir() / "golden/chatglm2");
  const auto original = golden.load();
  const MetaView m(original->meta(), "chatglm");
  const int64_t d = m.i64("embedding_length") / m.i64("attention.head_count"), q = m.i64("attention.head_count") * d,
                kv = m.i64("attention.head_count_kv") * d;
  WeightSet set;
  for (const auto& [name, w] : original->weights().weights) {
    const size_t at = name.find("attn_qkv");
    if (at == name.npos) {
      set.weights.emplace(name, w);
      continue;
    }
    const int64_t row_bytes = w.bytes / w.shape[0];
    int64_t first = 0;
    for (const auto& [part, rows] : {std::pair{"attn_q", q}, {"attn_k", kv}, {"attn_v", kv}}) {
      const Shape shape = w.shape.rank() == 1 ? Shape{rows} : Shape{rows, w.shape[1]};
      std::string to = name;
      to.replace(at, std::string_view("attn_qkv").size(), part);
      set.weights.emplace(to, WeightSet::Weight{w.type, shape, w.data + first * row_bytes, rows * row_bytes});
      first += rows;
    }
  }
  const auto separate = LoadedModel::from_memory(original->meta(), std::move(set), {});
  EXPECT_LT(distance(golden, *separate), 1e-4);
}

// With one position for each token, sections of M-RoPE make no difference.
TEST(Families, LanguageModelsOfVisionModelsAreThoseOfTheirFamilies) {
  for (const auto& [vision, text] : {std::pair{"qwen2vl", "qwen2"}, {"qwen3vl", "qwen3"}, {"qwen3vlmoe", "qwen3moe"}}) {
    const Golden golden(test::data_dir() / "golden" / text);
    const auto original = golden.load();
    const std::string prefix = std::string(text) + ".";
    Meta meta;
    for (const auto& [key, value] : original->meta().entries())
      meta.set(key.starts_with(prefix) ? std::string(vision) + "." + key.substr(prefix.size()) : key, value);
    meta.set("general.architecture", std::string(vision));
    meta.set(std::string(vision) + ".rope.dimension_sections", MetaArray{std::vector<int32_t>{2, 1, 1, 0}});
    const auto renamed = LoadedModel::from_memory(std::move(meta), original->weights(), {});
    EXPECT_EQ(renamed->arch(), vision);
    EXPECT_LT(distance(golden, *renamed), 1e-4) << vision;
  }
}

TEST(Families, AreFoundByArchitecture) {
  for (const Family* f : families()) EXPECT_EQ(&find_family(f->arch), f);
  const Error e = test::error_of([] { find_family("transformer"); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_TRUE(std::string(e.what()).starts_with("architecture 'transformer' is not supported; known: ")) << e.what();
  for (const Family* f : families()) EXPECT_NE(std::string(e.what()).find(f->arch), std::string::npos) << e.what();
}

}  // namespace
}  // namespace skald
