#include "serve/load/load_stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "serve/load/arrivals.h"
#include "serve/load/load.h"
#include "skald/error.h"

namespace skald::serve::load_stats_test {
namespace {

LoadSample sample(double first, std::vector<float> gaps, int64_t output, int64_t cached = -1) {
  LoadSample out{.status = 200, .first = first, .last = first, .gaps = std::move(gaps)};
  for (const float gap : out.gaps) out.last += double{gap};
  out.whole = out.last;
  out.prompt_tokens = 10;
  out.output_tokens = output;
  out.cached_tokens = cached;
  return out;
}

// Two requests that went well and one that did not, in two seconds.
LoadRow row() {
  LoadRow out{.load = 2, .seconds = 2};
  out.samples = {sample(0.1, {0.5, 0.25}, 4, 5), sample(0.3, {}, 1, 0), {.status = 503, .error = "status 503: full"}};
  return out;
}

TEST(Percentile, IsNumPys) {
  const std::vector<double> values = {1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(values, 50), 3);
  EXPECT_DOUBLE_EQ(percentile(values, 90), 6.8);
  EXPECT_DOUBLE_EQ(percentile(values, 99), 7.88);
  EXPECT_DOUBLE_EQ(percentile(values, 100), 8);
  EXPECT_DOUBLE_EQ(percentile({5}, 99), 5);
  EXPECT_TRUE(std::isnan(percentile({}, 50)));
}

TEST(LoadSummary, CountsWhatWentWell) {
  const LoadSummary s = summary_of(row(), {50, 100}, {.ttft = 200, .itl = 400});
  EXPECT_EQ(s.requests, 3);
  EXPECT_EQ(s.failed, 1);
  EXPECT_EQ(s.errors.at("status 503: full"), 1);
  EXPECT_DOUBLE_EQ(s.requests_per_s, 1);
  EXPECT_DOUBLE_EQ(s.output_per_s, 2.5);
  EXPECT_DOUBLE_EQ(s.tokens_per_s, 12.5);
  EXPECT_DOUBLE_EQ(s.prompt_tokens, 10);
  EXPECT_DOUBLE_EQ(s.output_tokens, 2.5);
  EXPECT_DOUBLE_EQ(s.cached_share, 0.25);
  EXPECT_DOUBLE_EQ(s.goodput, 1.0 / 3);  // the first's ITL is 375 ms, the second's TTFT too long
  EXPECT_NEAR(s.ttft.mean, 200, 1e-9);
  EXPECT_NEAR(s.ttft.percentiles[1], 300, 1e-9);
  EXPECT_NEAR(s.itl.percentiles[0], 375, 1e-9);
  EXPECT_NEAR(s.tpot.mean, 250, 1e-9);  // 0.75 s for three further tokens, in two pieces
  EXPECT_NEAR(s.e2e.percentiles[1], 850, 1e-9);
}

TEST(LoadSummary, OfNothingHasNoTimes) {
  LoadRow none{.load = 1, .seconds = 1};
  none.samples = {{.error = "refused"}};
  const LoadSummary s = summary_of(none, {50}, {});
  EXPECT_EQ(s.requests_per_s, 0);
  EXPECT_TRUE(std::isnan(s.ttft.mean));
  EXPECT_LT(s.cached_share, 0);
}

TEST(LoadGoals, AreReadByName) {
  const LoadGoals goals = parse_goals("ttft:500,tpot:12.5");
  EXPECT_EQ(goals.ttft, 500);
  EXPECT_EQ(goals.tpot, 12.5);
  EXPECT_EQ(goals.itl, 0);
  EXPECT_FALSE(parse_goals("").given());
  for (const char* wrong :
       {"ttft", "ttft:", "ttft:x", "ttft:-1", "ttft:0", "ttft:inf", "ttft:1x", "speed:5", "ttft:1,,itl:2"})
    EXPECT_THROW(parse_goals(wrong), Error) << wrong;
}

// Mean and variance of the gaps are those of the distribution.
TEST(Arrivals, ComeByTheirRateAndBurstiness) {
  constexpr int kMany = 200000;
  constexpr double kRate = 4;
  for (const double burstiness : {0.25, 1.0, 4.0}) {
    Arrivals arrivals(kRate, burstiness, 7);
    double last = 0, sum = 0, squares = 0;
    for (int i = 0; i < kMany; ++i) {
      const double at = arrivals.next(), gap = at - last;
      ASSERT_GE(gap, 0);
      sum += gap;
      squares += gap * gap;
      last = at;
    }
    const double mean = sum / kMany, variance = squares / kMany - mean * mean;
    EXPECT_NEAR(mean, 1 / kRate, 0.01 / kRate) << burstiness;
    EXPECT_NEAR(variance, 1 / (burstiness * kRate * kRate), 0.05 / (burstiness * kRate * kRate)) << burstiness;
  }
}

TEST(Arrivals, AreTheSameForTheSameSeed) {
  Arrivals a(2, 1, 5), b(2, 1, 5), c(2, 1, 6), at_once(std::numeric_limits<double>::infinity(), 1, 5);
  const double first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_EQ(at_once.next(), 0);
  EXPECT_EQ(at_once.next(), 0);
}

TEST(LoadReport, HasTheRowsInEveryFormat) {
  LoadResult result{.url = "http://h", .model = "m", .rows = {row(), row()}, .percentiles = {50, 99}};
  result.rows[1].open = true;
  result.rows[1].load = std::numeric_limits<double>::infinity();
  const std::string md = load_markdown(result), json = load_json(result), csv = load_csv(result), svg = load_svg(result);
  for (const char* text : {"2 clients", "at once", "TTFT p50/p99 (ms)", "200 / 298", "status 503: full", "25.0%"})
    EXPECT_NE(md.find(text), std::string::npos) << text << "\n" << md;
  for (const char* text :
       {"\"clients\": 2", "\"rate\": \"inf\"", "\"ttft_p50_ms\": 200", "\"status 503: full\": 1", "\"goodput\": null"})
    EXPECT_NE(json.find(text), std::string::npos) << text << "\n" << json;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
  EXPECT_NE(svg.find("TTFT p99 (ms)"), std::string::npos);
  result.rows.resize(1);
  result.rows[0].samples.erase(result.rows[0].samples.begin(), result.rows[0].samples.begin() + 2);
  EXPECT_THROW(load_svg(result), Error);
  EXPECT_NE(load_markdown(result).find("| -"), std::string::npos);
}

}  // namespace
}  // namespace skald::serve::load_stats_test
