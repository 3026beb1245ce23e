// Reports of evaluations: right answers and predictions each have their columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/eval/evaluate.h"

namespace skald::eval_report_test {
namespace {

using testing::HasSubstr;
using testing::Not;

EvalRow answered(const std::string& method, double score) {
  EvalRow out{.suite = "needle", .cache = "f16", .method = method, .length = 1024, .seconds = 2, .bytes = 3e6, .tokens = 4};
  out.score.add(score);
  return out;
}

EvalRow predicted(const std::string& method, double loss, double divergence) {
  EvalRow out{
      .suite = "perplexity", .cache = "f16", .method = method, .length = 1024, .seconds = 2, .bytes = 3e6, .tokens = 4};
  for (const double by : {-0.5, 0.5}) {
    out.loss.add(loss + by);
    out.divergence.add(divergence * (1 + by));
  }
  return out;
}

const EvalResult kBoth = {.model = "m", .type = "f16", .rows = {answered("dense", 0.75), predicted("sparq:8", 2, 0.125)}};
const EvalResult kPredicted = {
    .model = "m", .type = "f16", .rows = {predicted("dense", 2, 0), predicted("sparq:8", 2.5, 0.125)}};

TEST(EvalReport, HasATableForAnswersAndOneForPredictions) {
  EXPECT_EQ(
      eval_markdown(kBoth),
      "| suite  | form | length | cache | attention | cases | right, % | +/- | tokens/s | KV MB/token |\n"
      "| ------ | ---- | -----: | ----- | --------- | ----: | -------: | --- | -------: | ----------: |\n"
      "| needle | text |   1024 | f16   | dense     |     1 |     75.0 |     |     2.00 |       0.750 |\n"
      "\n"
      "| suite      | form | length | cache | attention | cases | loss, nats | loss +/- | perplexity | from dense, nats | "
      "dense +/- "
      "| tokens/s | KV MB/token |\n"
      "| ---------- | ---- | -----: | ----- | --------- | ----: | ---------: | -------: | ---------: | ---------------: | "
      "--------: "
      "| -------: | ----------: |\n"
      "| perplexity | text |   1024 | f16   | sparq:8   |     2 |     2.0000 |   0.5000 |      7.389 |          0.12500 |   "
      "0.06250 "
      "|     2.00 |       0.750 |\n");
  EXPECT_THAT(eval_markdown(kPredicted), Not(HasSubstr("right")));
}

TEST(EvalReport, AsCsvIsOneTableWithEmptyCells) {
  EXPECT_EQ(eval_csv(kBoth),
            "suite,form,length,cache,attention,cases,\"right, %\",+/-,\"loss, nats\",loss +/-,perplexity,\"from dense, "
            "nats\",dense +/-,"
            "tokens/s,KV MB/token\n"
            "needle,text,1024,f16,dense,1,75.0,,,,,,,2.00,0.750\n"
            "perplexity,text,1024,f16,sparq:8,2,,,2.0000,0.5000,7.389,0.12500,0.06250,2.00,0.750\n");
}

TEST(EvalReport, AsJsonHasAScoreOrALoss) {
  const auto rows = nlohmann::json::parse(eval_json(kBoth)).at("rows");
  EXPECT_EQ(rows[0].at("score"), 0.75);
  EXPECT_TRUE(rows[0].at("score_error").is_null()) << "one case says nothing about others";
  EXPECT_FALSE(rows[0].contains("loss"));
  EXPECT_FALSE(rows[1].contains("score"));
  EXPECT_EQ(rows[1].at("cases"), 2);
  EXPECT_EQ(rows[1].at("loss"), 2);
  EXPECT_EQ(rows[1].at("loss_error"), 0.5);
  EXPECT_NEAR(rows[1].at("perplexity").get<double>(), 7.389056, 1e-6);
  EXPECT_EQ(rows[1].at("divergence"), 0.125);
  EXPECT_EQ(rows[1].at("divergence_error"), 0.0625);
  EXPECT_EQ(rows[1].at("kv_bytes_per_token"), 0.75e6);
}

TEST(EvalReport, DrawsRightAnswersOfTheSuitesThatHaveThem) {
  const std::string svg = eval_svg(kBoth);
  EXPECT_THAT(svg, HasSubstr("right, %"));
  EXPECT_THAT(svg, HasSubstr("dense, f16"));
  EXPECT_THAT(svg, Not(HasSubstr("sparq:8, f16"))) << "it has no answers";
}

TEST(EvalReport, DrawsPredictionsWhereThereIsNothingElse) {
  EXPECT_THAT(eval_svg(kPredicted), HasSubstr("divergence, nats"));
  EXPECT_THAT(eval_svg(kPredicted), HasSubstr("sparq:8, f16"));
  EXPECT_THAT(eval_svg({.model = "m", .type = "f16", .rows = {predicted("dense", 2, 0)}}), HasSubstr("loss, nats"));
}

}  // namespace
}  // namespace skald::eval_report_test
