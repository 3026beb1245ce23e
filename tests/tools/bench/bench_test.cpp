// The benchmark of the embedded model and its three reports. No speed is asserted: machines differ.
#include "tools/bench/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "skald/model.h"
#include "tests/support/errors.h"

namespace skald::bench_test {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;

TEST(RunBench, MeasuresEveryTestAtEveryDepth) {
  std::vector<std::string> said;
  const BenchResult r = run_bench(*Model::embedded().loaded(),
                                  {.prefill = {16, 0},
                                   .decode = {4},
                                   .depths = {0, 100},
                                   .repetitions = 1,
                                   .roofline_seconds = 0.1,
                                   .compute = {.device = {.n_threads = 2}}},
                                  [&](const std::string& line) { said.push_back(line); });
  EXPECT_EQ(r.model, "skald-tiny");
  EXPECT_EQ(r.type, "q8_0");
  EXPECT_EQ(r.backend.threads, 2);
  EXPECT_GT(r.roofline.read_gb_per_s, 0);
  EXPECT_GT(r.roofline.f32_gflop_per_s, 0);
  std::vector<std::tuple<std::string, int64_t, int64_t>> tests;
  for (const BenchRow& row : r.rows) {
    tests.emplace_back(row.test, row.n_tokens, row.depth);
    EXPECT_EQ(row.batch, 1);
    EXPECT_EQ(row.threads, 2);
    EXPECT_EQ(row.stddev, 0) << "of one repetition";
    EXPECT_GT(row.peak_bytes, int64_t{1} << 20);
    EXPECT_THAT((std::vector{row.tokens_per_s, row.gb_per_s, row.gflop_per_s, row.bandwidth_share, row.compute_share}),
                testing::Each(Gt(0)));
  }
  EXPECT_THAT(tests, testing::ElementsAre(std::tuple("pp", 16, 0), std::tuple("tg", 4, 0), std::tuple("pp", 16, 100),
                                          std::tuple("tg", 4, 100)));
  EXPECT_THAT(said, testing::Contains(HasSubstr("tg 4 at depth 100: 1 of 1")));
}

TEST(RunBench, TimesDecodingDenseAndSparse) {
  BenchOptions options{.prefill = {8},
                       .decode = {4},
                       .depths = {2048, 4096},
                       .repetitions = 2,
                       .roofline_seconds = 0.1,
                       .compute = {.device = {.n_threads = 1}}};
  options.compute.cache.sparq = {.k1 = 4, .k2 = 64, .mean = {}};
  const BenchResult r = run_bench(*Model::embedded().loaded(), options);
  ASSERT_EQ(r.rows.size(), 6u) << "prompts are dense";
  for (size_t i = 0; i < 6; ++i) {
    const BenchRow& row = r.rows[i];
    EXPECT_EQ(row.sparse, i % 3 == 2);
    EXPECT_EQ(row.test, i % 3 == 0 ? "pp" : "tg");
    if (!row.sparse) continue;
    EXPECT_EQ(row.k1, 4);
    EXPECT_EQ(row.k2, 64);
    EXPECT_EQ(row.depth, r.rows[i - 1].depth);
    EXPECT_NEAR(row.speedup, row.tokens_per_s / r.rows[i - 1].tokens_per_s, 1e-9);
    const auto bytes = [](const BenchRow& x) { return x.gb_per_s / x.tokens_per_s; };
    EXPECT_NEAR(row.transfer_speedup, bytes(r.rows[i - 1]) / bytes(row), 1e-9);
    EXPECT_GT(row.transfer_speedup, 1);
  }
  EXPECT_GT(r.rows[5].transfer_speedup, r.rows[2].transfer_speedup) << "the cache weighs more";
}

TEST(RunBench, DecodesSequencesTogether) {
  std::vector<std::string> said;
  const BenchResult r = run_bench(*Model::embedded().loaded(),
                                  {.prefill = {8},
                                   .decode = {4},
                                   .depths = {0, 100},
                                   .batches = {1, 3, 2},
                                   .repetitions = 2,
                                   .roofline_seconds = 0.1,
                                   .compute = {.device = {.n_threads = 2}}},
                                  [&](const std::string& line) { said.push_back(line); });
  std::vector<std::tuple<std::string, int64_t, int64_t>> tests;
  for (const BenchRow& row : r.rows) {
    tests.emplace_back(row.test, row.depth, row.batch);
    EXPECT_GT(row.bandwidth_share, 0);
    EXPECT_GT(row.compute_share, 0);
  }
  EXPECT_THAT(tests, testing::ElementsAre(std::tuple("pp", 0, 1), std::tuple("tg", 0, 1), std::tuple("tg", 0, 3),
                                          std::tuple("tg", 0, 2), std::tuple("pp", 100, 1), std::tuple("tg", 100, 1),
                                          std::tuple("tg", 100, 3), std::tuple("tg", 100, 2)));
  EXPECT_THAT(said, testing::Contains(HasSubstr("tg 4 at depth 100, 3 sequences: 2 of 2")));
}

TEST(RunBench, CountsWeightsOncePerStepAndArithmeticPerSequence) {
  const BenchResult r = run_bench(*Model::embedded().loaded(), {.prefill = {},
                                                                .decode = {4},
                                                                .batches = {1, 4},
                                                                .repetitions = 1,
                                                                .roofline_seconds = 0,
                                                                .compute = {.device = {.n_threads = 1}}});
  ASSERT_EQ(r.rows.size(), 2u);
  const auto bytes = [](const BenchRow& x) { return x.gb_per_s / x.tokens_per_s; };  // per token of all sequences
  const auto flops = [](const BenchRow& x) { return x.gflop_per_s / x.tokens_per_s; };
  EXPECT_LT(bytes(r.rows[1]), 0.5 * bytes(r.rows[0]));
  EXPECT_NEAR(flops(r.rows[1]), flops(r.rows[0]), 1e-6 * flops(r.rows[0]));
}

TEST(RunBench, PrefillsInStepsOfTheUbatch) {
  BenchOptions options{.prefill = {64},
                       .decode = {},
                       .repetitions = 1,
                       .roofline_seconds = 0,
                       .compute = {.device = {.n_threads = 1}, .schedule = {.n_ubatch = 64}}};
  const BenchRow whole = run_bench(*Model::embedded().loaded(), options).rows.at(0);
  options.compute.schedule.n_ubatch = 8;
  const BenchRow steps = run_bench(*Model::embedded().loaded(), options).rows.at(0);
  EXPECT_EQ(whole.ubatch, 64);
  EXPECT_EQ(steps.ubatch, 8);
  const auto bytes = [](const BenchRow& x) { return x.gb_per_s / x.tokens_per_s; };
  EXPECT_GT(bytes(steps), 2 * bytes(whole)) << "eight steps read the weights eight times";
}

TEST(RunBench, MeasuresTheMachineOnlyWhenAsked) {
  const BenchResult r = run_bench(
      *Model::embedded().loaded(),
      {.prefill = {}, .decode = {2}, .repetitions = 1, .roofline_seconds = 0, .compute = {.device = {.n_threads = 1}}});
  ASSERT_EQ(r.rows.size(), 1u);
  EXPECT_EQ(r.roofline.read_gb_per_s, 0);
  EXPECT_EQ(r.rows[0].bandwidth_share, 0);
  EXPECT_EQ(r.rows[0].compute_share, 0);
  EXPECT_GT(r.rows[0].gb_per_s, 0);
}

BenchResult made_up() {
  return {.model = "tiny, \"the\" model",
          .type = "q8_0",
          .backend = {"A CPU", "avx2", 3},
          .roofline = {20, 100, 0, 400},
          .rows = {{.test = "pp",
                    .n_tokens = 16,
                    .depth = 64,
                    .threads = 3,
                    .tokens_per_s = 1000.5,
                    .stddev = 2.25,
                    .sampling_ms = 0.25,
                    .gb_per_s = 5,
                    .gflop_per_s = 50,
                    .bandwidth_share = 0.25,
                    .compute_share = 0.125,
                    .peak_bytes = 3 << 19}}};
}

TEST(BenchJson, HasTheDocumentedKeysAndTheMachine) {
  const nlohmann::json rows = nlohmann::json::parse(bench_json(made_up()));
  ASSERT_EQ(rows.size(), 1u);
  std::set<std::string> keys;
  for (const auto& [key, value] : rows[0].items()) keys.insert(key);
  EXPECT_EQ(keys,
            (std::set<std::string>{"model", "type", "test", "n_tokens", "depth", "batch", "ubatch", "threads",
                                   "tokens_per_s", "stddev", "gb_per_s", "gflop_per_s", "bandwidth_share", "compute_share",
                                   "attention", "k1", "k2", "speedup", "transfer_speedup", "peak_bytes", "sampling_ms",
                                   // the bases of the shares
                                   "isa", "cpu", "read_gb_per_s", "f32_gflop_per_s", "bf16_gflop_per_s", "int8_gop_per_s",
                                   "int16_gop_per_s"}));
  EXPECT_EQ(rows[0]["model"], "tiny, \"the\" model");
  EXPECT_EQ(rows[0]["test"], "pp");
  EXPECT_EQ(rows[0]["depth"], 64);
  EXPECT_EQ(rows[0]["tokens_per_s"], 1000.5);
  EXPECT_EQ(rows[0]["bandwidth_share"], 0.25);
}

TEST(BenchJson, OfNoRowsIsAnEmptyList) { EXPECT_EQ(nlohmann::json::parse(bench_json({})), nlohmann::json::array()); }

TEST(BenchJson, SurvivesAModelNameThatIsNotUtf8) {
  BenchResult r = made_up();
  r.model = "\xff";
  EXPECT_EQ(nlohmann::json::parse(bench_json(r))[0]["model"], "\xEF\xBF\xBD");
}

TEST(BenchCsv, QuotesTheNameAndHasOneLinePerRow) {
  EXPECT_EQ(bench_csv(made_up()),
            "model,type,test,n_tokens,depth,batch,ubatch,threads,tokens_per_s,stddev,gb_per_s,gflop_per_s,bandwidth_share,"
            "compute_share,"
            "attention,k1,k2,speedup,transfer_speedup,peak_bytes,sampling_ms\n"
            "\"tiny, \"\"the\"\" model\",q8_0,pp,16,64,1,512,3,1000.5000,2.2500,5.000,50.00,0.2500,0.1250,"
            "dense,0,0,0.0000,0.0000,1572864,0.2500\n");
}

TEST(BenchMarkdown, ShowsRatesSharesAndTheMachine) {
  EXPECT_THAT(bench_markdown(made_up()),
              AllOf(HasSubstr("| pp 16 |    64 |       3 | 1000.50 ± 2.25 |  5.0 |   25.0% |      50 |   12.5% |"),
                    HasSubstr("A CPU, avx2: reads 20.0 GB/s; peaks: f32 100 GFLOP/s, int8 400 GOP/s; peak memory 1.5 MiB\n"),
                    testing::Not(HasSubstr("bf16"))));
}

TEST(BenchMarkdown, SaysHowManySequencesAndTokensOfAStepWhereTheyAreNotTheUsual) {
  EXPECT_THAT(bench_markdown(made_up()), testing::Not(testing::AnyOf(HasSubstr("batch"), HasSubstr("ubatch"))));
  BenchResult r = made_up();
  r.rows.push_back(r.rows[0]);
  r.rows[1].batch = 4;
  EXPECT_THAT(bench_markdown(r), AllOf(HasSubstr("| depth | batch | threads |"), HasSubstr("|    64 |     4 |       3 |"),
                                       testing::Not(HasSubstr("ubatch"))));
  r.rows[1].ubatch = 128;
  EXPECT_THAT(bench_markdown(r), AllOf(HasSubstr("| depth | batch | ubatch | threads |"), HasSubstr("|     4 |    128 |")));
  EXPECT_THAT(bench_svg(r), AllOf(HasSubstr(">pp 16</text>"), HasSubstr(">pp 16, 4 sequences</text>")));
}

BenchResult made_up_comparison() {
  BenchResult r = made_up();
  r.rows[0].test = "tg";
  BenchRow sparse = r.rows[0];
  sparse.sparse = true;
  sparse.k1 = 5;
  sparse.k2 = 70;
  sparse.speedup = 2;
  sparse.transfer_speedup = 2.5;
  r.rows.push_back(sparse);
  return r;
}

TEST(BenchMarkdown, ComparesSparseWithDenseDecoding) {
  EXPECT_THAT(bench_markdown(made_up_comparison()), AllOf(HasSubstr("| attention k1/k2 | speed-up | by transfer |"),
                                                          HasSubstr("| dense           |        - |           - |"),
                                                          HasSubstr("| sparq 5/70      |     2.00 |        2.50 |")));
}

TEST(BenchSvg, HasACurveForEachTestAndWhatTransferPredicts) {
  EXPECT_THAT(bench_svg(made_up()),
              AllOf(HasSubstr(">pp 16</text>"), HasSubstr("tiny, &quot;the&quot; model"), testing::Not(HasSubstr("dense"))));
  EXPECT_THAT(bench_svg(made_up_comparison()), AllOf(HasSubstr(">tg 16, dense</text>"), HasSubstr(">tg 16, sparq</text>"),
                                                     HasSubstr(">tg 16, sparq by bytes moved</text>"),
                                                     HasSubstr("K f16, V f16; SparQ k1 5, k2 70; index int8")));
  EXPECT_EQ(test::error_of([] { bench_svg({}); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald::bench_test
