// Models whose matrices have scales of their own, and models of formats that come with these: the logits are those of the
// matrices' values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backend/cpu/cpu_backend.h"
#include "quant/made_up.h"
#include "quant/registry.h"
#include "tests/models/edited_golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald::scaled_golden_test {
namespace {

using test::EditedGolden;
using Tensor = EditedGolden::Tensor;

std::vector<float> logits_of(const EditedGolden& edited, bool repack) {
  const auto model = edited.load();
  CpuBackend backend(2, {}, {.repack = repack});
  Runner runner(model->step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
  const std::vector<TokenId>& ids = edited.golden.prompt_ids;
  return test::logits_of(runner, ids, 24, 24, model->prefix_length(ids));
}

// Of those that are multiplied, not looked up.
bool is_matrix(const std::string& name, const Tensor& t) {
  const auto has = [&](const char* part) { return name.find(part) != name.npos; };
  return t.shape.rank() >= 2 && name.ends_with(".weight") && !has("_norm") && !has("_embd") && !has("conv");
}

std::string scale_of(const std::string& weight) { return weight.substr(0, weight.rfind('.')) + ".scale"; }

int64_t matrices_in(const Tensor& t) { return t.shape.rank() == 3 ? t.shape[0] : 1; }

std::vector<float> floats_of(const Tensor& t) {
  const Format& format = *find_format(t.type);
  std::vector<float> out(static_cast<size_t>(t.shape.elements()));
  format.decode(t.data.data(), out.data(), std::ssize(out));
  return out;
}

Tensor tensor_of(const Shape& shape, const std::vector<float>& x) {
  const auto* bytes = reinterpret_cast<const std::byte*>(x.data());
  return {shape, format_f32.id, {bytes, bytes + x.size() * sizeof(float)}};
}

// Each of the matrices times its factor.
void multiply(std::vector<float>& x, const std::vector<float>& factors) {
  for (size_t i = 0; i < x.size(); ++i) x[i] *= factors[i / (x.size() / factors.size())];
}

class ScaledGolden : public testing::TestWithParam<std::string> {};

TEST_P(ScaledGolden, PowersOfTwoThatMoveFromWeightsToScalesChangeNoBit) {
  EditedGolden plain(GetParam()), scaled(GetParam());
  int n = 0;
  for (auto& [name, t] : plain.tensors) {
    if (!is_matrix(name, t) || plain.has(scale_of(name))) continue;
    std::vector<float> x = floats_of(t), factors, scales;
    for (int64_t i = 0; i < matrices_in(t); ++i, ++n) {
      scales.push_back(std::ldexp(1.0f, n % 7 - 3));
      factors.push_back(1 / scales.back());
    }
    if (name.find("attn_k_b.") != name.npos || name.find("attn_v_b.") != name.npos ||
        name.starts_with("altup_")) {  // of heads: one for all
      scales.resize(1);
      factors.resize(1);
    }
    t = tensor_of(t.shape, x);
    multiply(x, factors);
    scaled.tensors[name] = tensor_of(t.shape, x);
    scaled.tensors[scale_of(name)] = tensor_of(Shape{std::ssize(scales)}, scales);
  }
  ASSERT_GT(n, 0);
  for (const bool repack : {true, false}) EXPECT_TRUE(test::same_bits(logits_of(scaled, repack), logits_of(plain, repack)));
}

TEST(ScaledGoldens, AScaleThatIsNotFollowedIsRefused) {
  for (const char* name : {"blk.0.attn_q.weight.scale", "blk.0.attn_q.weight_scale_inv", "blk.0.attn_norm.scale"}) {
    EditedGolden edited("llama_gqa");
    edited.tensors[name] = tensor_of(Shape{1}, {2.0f});
    const Error e = test::error_of([&] { edited.load(); });
    EXPECT_EQ(e.code(), Errc::kUnsupported);
    EXPECT_THAT(e.what(), testing::HasSubstr(name));
  }
}

// With an unrounded product of activations and weights, as --no-repack computes it, and with activations of eight bits.
void compare(const std::string& model, const Format& format) {
  SCOPED_TRACE(testing::Message() << model << " of " << format.name);
  EditedGolden plain(model), made(model);
  uint64_t seed = 1;
  for (auto& [name, t] : plain.tensors) {
    if (!is_matrix(name, t) && name != "token_embd.weight") continue;
    if (name.find("ffn_gate_inp.") != name.npos) continue;  // experts whose scores are near would change places
    ASSERT_EQ(t.shape.back() % format.block, 0) << name;
    const bool scaled = format.name == "nvfp4" && name != "token_embd.weight";
    const float spread = 1.5f / std::sqrt(static_cast<float>(t.shape.back()));
    const std::vector<std::byte> blocks = made_up_weights(format, t.shape.elements(), scaled ? 50 * spread : spread, ++seed);
    made.tensors[name] = {t.shape, format.id, blocks};
    std::vector<float> x = floats_of(made.tensors[name]);
    if (scaled) {
      std::vector<float> scales;
      for (int64_t i = 0; i < matrices_in(t); ++i) scales.push_back(0.02f + 0.0011f * static_cast<float>(i));
      multiply(x, scales);
      made.tensors[scale_of(name)] = tensor_of(Shape{std::ssize(scales)}, scales);
    }
    t = tensor_of(t.shape, x);
  }
  const std::vector<float> want = logits_of(plain, true), exact = logits_of(made, false), rounded = logits_of(made, true);
  const double spread = test::Golden::spread(want);
  double squares = 0;
  for (size_t i = 0; i < want.size(); ++i) squares += std::pow(static_cast<double>(rounded[i] - want[i]), 2);
  EXPECT_TRUE(test::close_to(exact, want, 1e-4 * spread));
  EXPECT_LT(std::sqrt(squares / static_cast<double>(want.size())), 0.03 * spread);
}

TEST(MadeOfFormats, GivesTheLogitsOfWhatTheWeightsDecodeTo) {
  for (const char* format : {"q1_0", "q2_0", "nvfp4"})
    for (const char* model : {"qwen2", "llama_gqa"}) compare(model, *find_format(std::string_view(format)));
  for (const char* format : {"q2_0", "nvfp4"}) compare("gptoss", *find_format(std::string_view(format)));
}

bool has_floats(const test::Golden& g) { return g.storage == "F32" || g.storage == "F16" || g.storage == "BF16"; }

INSTANTIATE_TEST_SUITE_P(All, ScaledGolden, testing::ValuesIn(test::golden_names(has_floats)),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald::scaled_golden_test
