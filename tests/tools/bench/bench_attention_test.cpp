// The benchmark of attention alone: its rows, their bytes, and its plot. No speed is asserted.
#include "tools/bench/bench_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald::bench_attention_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

AttentionBenchOptions small() {
  return {.n_heads = 4,
          .n_kv_heads = 2,
          .d_head = 32,
          .lengths = {1100},
          .repetitions = 1,
          .roofline_seconds = 0,
          .sparq = {.k1 = 8, .k2 = 64, .mean = {}},
          .compute = {.device = {.n_threads = 1}}};
}

TEST(RunAttentionBench, CountsWhatIsMoved) {
  const AttentionBenchResult r = run_attention_bench(small());
  ASSERT_EQ(r.rows.size(), 1u);
  const AttentionBenchRow& row = r.rows[0];
  constexpr double kActivations = 2 * 4 * 32 * 4, kPerKey = 2 * 2 * 32 * 2, kKeys = 1101;
  EXPECT_EQ(row.dense_bytes, kActivations + kKeys * kPerKey);
  constexpr double kComponent = 2 * (1 + 4.0 / 64);  // of both heads: a byte, and a scale for 64 of them
  EXPECT_DOUBLE_EQ(row.sparse_bytes, kActivations + kKeys * kComponent * 8 + 64 * kPerKey);
  EXPECT_EQ(row.theoretical_speedup, row.dense_bytes / row.sparse_bytes);
  EXPECT_GT(row.dense_seconds, 0);
  EXPECT_GT(row.sparse_seconds, 0);
  EXPECT_EQ(row.dense_share, 0) << "the machine was not measured";
}

TEST(RunAttentionBench, ComparesFusedWithUnfusedPrompts) {
  AttentionBenchOptions options = small();
  options.lengths = {0};
  options.prefill = {0, 70};
  options.unfused = true;
  options.roofline_seconds = 0.1;
  const AttentionBenchResult r = run_attention_bench(options);
  ASSERT_EQ(r.rows.size(), 1u);
  EXPECT_EQ(r.rows[0].test, "prefill");
  EXPECT_GT(r.rows[0].unfused_seconds, 0);
  EXPECT_DOUBLE_EQ(r.rows[0].fused_speedup, r.rows[0].unfused_seconds / r.rows[0].dense_seconds);
  EXPECT_GT(r.rows[0].dense_share, 0);
  EXPECT_THAT(attention_bench_markdown(r), AllOf(HasSubstr("| unfused us |"), HasSubstr("| fused gains |")));
}

AttentionBenchResult made_up() {
  AttentionBenchOptions options = small();
  options.sparq = {.ratio = 8, .mean = {}};
  const auto row = [](int64_t length, int64_t k1, double speedup) {
    return AttentionBenchRow{
        .test = "decode", .length = length, .k1 = k1, .k2 = 128, .speedup = speedup, .theoretical_speedup = 8};
  };
  return {.options = options, .backend = {"A <CPU>", "avx2", 3}, .rows = {row(4096, 6, 6.5), row(1024, 4, 3.5)}};
}

TEST(AttentionBenchSvg, HasBothCurvesAndSaysWhatWasMeasuredWhere) {
  EXPECT_THAT(
      attention_bench_svg(made_up()),
      AllOf(HasSubstr(">measured</text>"), HasSubstr(">by bytes moved</text>"), HasSubstr("ratio 8: k1 4 to 6, k2 128"),
            HasSubstr("A &lt;CPU&gt;, avx2, 3 threads"), HasSubstr("4 query heads on 2 KV heads of 32; K f16, V f16")));
}

TEST(AttentionBenchSvg, OfDenseDecodingIsAnError) {
  AttentionBenchResult r = made_up();
  for (AttentionBenchRow& row : r.rows) row.speedup = 0;
  EXPECT_EQ(test::error_of([&] { attention_bench_svg(r); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald::bench_attention_test
