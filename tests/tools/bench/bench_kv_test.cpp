// The benchmark of static caches: the bytes that it copies, which do not depend on the machine, and its three reports.
#include "tools/bench/bench_kv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/errors.h"

namespace skald::bench_kv_test {
namespace {

using testing::HasSubstr;
using testing::Not;

KvBenchResult of_context(int64_t context) {
  return run_kv_bench(
      {.shape = {.n_layers = 2, .n_kv_heads = 3, .d_head = 4, .context = context, .bits = 16}, .repetitions = 2});
}

TEST(KvBench, CopiesTheWholeWindowOneRowAndTwoRowsPerToken) {
  const KvBenchResult r = of_context(65);
  const double row = 2 * 2 * 3 * 4 * 2;  // K and V, layers, heads, numbers, bytes
  EXPECT_EQ(static_cast<double>(r.token_bytes), row);
  EXPECT_EQ(static_cast<double>(r.window_bytes), 64 * row);
  ASSERT_EQ(r.rows.size(), 3u);
  const double copied[] = {64 * row, row, 2 * row}, memory[] = {64 * row, 128 * row, 96 * row}, tokens[] = {1, 64, 32};
  const char* const names[] = {"memmove", "reserve 2.0", "reserve 1.5"};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(r.rows[i].method, names[i]);
    EXPECT_EQ(r.rows[i].copied_bytes_per_token, copied[i]) << names[i];
    EXPECT_EQ(static_cast<double>(r.rows[i].bytes), memory[i]) << names[i];
    EXPECT_EQ(r.rows[i].tokens_per_copy, tokens[i]) << names[i];
    EXPECT_GT(r.rows[i].ns_per_token, 0) << names[i];
  }
}

TEST(KvBench, TakesTheSmallestContextAndAnOddWindow) {
  EXPECT_EQ(of_context(2).rows[2].tokens_per_copy, 1);
  EXPECT_EQ(of_context(64).rows[2].tokens_per_copy, 31);
}

TEST(KvBench, RefusesWhatItCannotRun) {
  KvBenchOptions options{.repetitions = 0};
  EXPECT_THAT(test::error_of([&] { run_kv_bench(options); }).what(), HasSubstr("repetitions 0"));
  options = {.shape = {.n_layers = 1, .n_kv_heads = 0, .d_head = 4, .context = 8, .bits = 16}};
  EXPECT_EQ(test::error_of([&] { run_kv_bench(options); }).code(), Errc::kBadInput);
}

KvBenchResult made_up() {
  return {.shape = {.n_layers = 2, .n_kv_heads = 3, .d_head = 4, .context = 65, .bits = 16},
          .token_bytes = 96,
          .window_bytes = 6144,
          .cache_bytes = 4096,
          .rows = {{.method = "reserve 2.0",
                    .bytes = 12288,
                    .ns_per_token = 1234.5,
                    .copied_bytes_per_token = 96,
                    .tokens_per_copy = 64}}};
}

TEST(KvBenchMarkdown, ShowsTheShapeAndWarnsOfWindowsThatTheCacheHolds) {
  KvBenchResult r = made_up();
  EXPECT_THAT(kv_bench_markdown(r),
              HasSubstr("| reserve 2.0 |         12,288 |    1,235 |                   96 |          64 |\n"));
  EXPECT_THAT(kv_bench_markdown(r), HasSubstr("layers 2, KV heads 3 of 4, context 65, 16 bits"));
  EXPECT_THAT(kv_bench_markdown(r), Not(HasSubstr("last-level cache")));
  r.cache_bytes = 1 << 20;
  EXPECT_THAT(kv_bench_markdown(r), HasSubstr("last-level cache (1,048,576 bytes)"));
}

TEST(KvBenchCsv, HasOneLinePerMethod) {
  EXPECT_EQ(kv_bench_csv(made_up()),
            "method,n_layers,n_kv_heads,d_head,context,bits,bytes,ns_per_token,copied_bytes_per_token,tokens_per_copy\n"
            "reserve 2.0,2,3,4,65,16,12288,1234.5,96.0,64.0\n");
}

TEST(KvBenchJson, IsAListOfMethods) {
  const nlohmann::json rows = nlohmann::json::parse(kv_bench_json(made_up()));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["method"], "reserve 2.0");
  EXPECT_EQ(rows[0]["ns_per_token"], 1234.5);
  EXPECT_EQ(rows[0]["copied_bytes_per_token"], 96);
  EXPECT_EQ(rows[0]["window_bytes"], 6144);
  EXPECT_EQ(rows[0]["last_level_cache_bytes"], 4096);
}

}  // namespace
}  // namespace skald::bench_kv_test
