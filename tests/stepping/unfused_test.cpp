// Attention as operations of its own gives what the fused operation gives, with every attribute, cache type and mix of rows.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "kernels/api/tier.h"
#include "stepping/compute.h"
#include "tests/stepping/one_attention.h"
#include "tests/support/close_to.h"

namespace skald::unfused_test {
namespace {

using test::OneAttention;

struct Case {
  const char* name;
  Attention a;
  CacheOptions cache = {};
  bool shift = false;
  int64_t prefix = 0;  // of both sequences, at most 70 and 3 tokens
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Queries for keys of integers are rounded before one form scales them and after the other does: a code may differ. Fused
// products of a prompt keep 13 bits below the largest of a row where they are of 16 bits, other ones 16 at least.
double limit(const Case& c) {
  if (c.cache.type_k[0] == 'q') return 2e-2;
  return c.cache.type_k != "f32" && build_kernel_table().prefill_act == ActFormat::kQ16 ? 1.5e-3 : 5e-5;
}

// Rows of a prompt in chunks, of a second sequence beside it, and of single tokens, after dropped keys if asked for.
std::vector<float> outputs(const Case& c, bool fused) {
  const OneAttention model(c.a);
  CacheOptions cache = c.cache;
  cache.n_ctx = 250;
  Compute compute(model.step_model(),
                  {.device = {.n_threads = 2, .fused = fused}, .cache = cache, .schedule = {.n_parallel = 2}});
  Runner& runner = compute.runner();
  KvSequence a = runner.new_sequence(), b = runner.new_sequence();
  a.set_prefix(c.prefix);
  b.set_prefix(std::min<int64_t>(c.prefix, 3));
  std::vector<float> out;
  TokenId next = 0;
  const auto step = [&](int64_t rows_a, int64_t rows_b) {
    std::vector<TokenId> tokens_a, tokens_b;
    for (int64_t i = 0; i < rows_a; ++i) tokens_a.push_back(next++ % OneAttention::kTokens);
    for (int64_t i = 0; i < rows_b; ++i) tokens_b.push_back(next++ % OneAttention::kTokens);
    std::vector<StepItem> items;
    if (rows_a) items.push_back({&a, tokens_a, rows_a, rows_a == 1});
    if (rows_b) items.push_back({&b, tokens_b, rows_b, rows_b == 1});
    const Logits y = runner.run(items);
    out.insert(out.end(), y.all().begin(), y.all().end());
  };
  step(70, 3);
  step(1, 100);
  if (c.shift) a.drop(5, 40);
  step(1, 1);
  step(90, 0);
  if (c.shift) a.drop(5, 80);
  step(30, 1);
  step(1, 1);
  return out;
}

class Unfused : public testing::TestWithParam<Case> {};

TEST_P(Unfused, GivesWhatFusedAttentionGives) {
  const std::vector<float> fused = outputs(GetParam(), true), unfused = outputs(GetParam(), false);
  EXPECT_TRUE(test::close_to(unfused, fused, limit(GetParam())));
}

Attention shape(int64_t heads, int64_t kv_heads, int64_t d_k, int64_t d_v) {
  return {.n_heads = heads, .n_kv_heads = kv_heads, .d_k = d_k, .d_v = d_v, .scale = 0.2f};
}
Attention with(Attention a, void (*change)(Attention&)) {
  change(a);
  return a;
}
CacheOptions stored(const char* k, const char* v, const char* layout = "auto") {
  return {.type_k = k, .type_v = v, .layout = layout};
}

INSTANTIATE_TEST_SUITE_P(
    All, Unfused,
    testing::Values(
        Case{"mha", shape(3, 3, 32, 32)}, Case{"gqa_f32", shape(8, 2, 64, 48), stored("f32", "f32")},
        Case{"mqa_rows", shape(5, 1, 80, 80), stored("bf16", "f16", "rows")},
        Case{"q8_0", shape(4, 2, 64, 64), stored("q8_0", "q8_0")},
        Case{"q4_0_odd", shape(4, 2, 80, 112), stored("q4_0", "q4_0")},
        Case{"window", with(shape(4, 2, 32, 32), [](Attention& a) { a.window = {20}; })},
        Case{"chunks", with(shape(4, 2, 32, 32),
                            [](Attention& a) {
                              a.window = {20, 20};
                            })},
        Case{"softcap", with(shape(4, 2, 32, 32), [](Attention& a) { a.softcap = 3; })},
        Case{"alibi", with(shape(6, 6, 32, 32), [](Attention& a) { a.alibi_max_bias = 8; })},
        Case{"sink_logits", with(shape(4, 2, 32, 32), [](Attention& a) { a.sink_logits = true; })},
        Case{"shift", shape(4, 2, 64, 64), stored("f32", "f32"), true},
        Case{"shift_rows", shape(4, 2, 64, 64), stored("q8_0", "f16"), true},
        Case{"shift_alibi", with(shape(4, 4, 32, 32), [](Attention& a) { a.alibi_max_bias = 8; }), {}, true},
        Case{"around", with(shape(4, 2, 32, 32), [](Attention& a) { a.window = {.size = 21, .around = true}; }),
             stored("f32", "f32"), false, 70},
        Case{"around_rows", with(shape(4, 2, 32, 32), [](Attention& a) { a.window = {.size = 90, .around = true}; }),
             stored("f16", "f16", "rows"), false, 70},
        Case{"kc8", shape(4, 2, 64, 64), stored("kc8", "q8_0")}, Case{"kc4_odd", shape(5, 1, 80, 112), stored("kc4", "f16")},
        Case{"shift_kc8", shape(4, 2, 64, 64), stored("kc8", "f16"), true},
        Case{"around_kc8", with(shape(4, 2, 32, 32), [](Attention& a) { a.window = {.size = 90, .around = true}; }),
             stored("kc8", "f16"), false, 70},
        Case{"prefix_kc4", shape(4, 4, 32, 32), stored("kc4", "f16"), false, 66},
        Case{"biases", with(shape(6, 3, 32, 32), [](Attention& a) { a.biases = true; }), stored("f32", "f32"), false, 70},
        Case{"shift_biases", with(shape(4, 2, 32, 32), [](Attention& a) { a.biases = true; }), {}, true},
        Case{"prefix", shape(4, 2, 64, 48), stored("f32", "f32"), false, 66},
        Case{"prefix_rows", shape(4, 4, 32, 32), stored("q8_0", "f16"), false, 40}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace skald::unfused_test
