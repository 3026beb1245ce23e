// Decoding with guesses and without.
#include "tools/bench/bench_spec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"
#include "tools/bench/known_text.h"

namespace skald::bench_spec_test {
namespace {

SpecBenchOptions usual(double right) {
  return {.depths = {40},
          .decode = {24},
          .repetitions = 2,
          .right = right,
          .compute = {.device = {.n_threads = 2}, .draft = {.most = 4}}};
}

TEST(BenchSpec, GuessesAreAsRightAsTheyAreToldToBe) {
  const Model model = Model::embedded();
  const SpecBenchRow all = run_spec_bench(model, usual(1)).rows.at(0);
  EXPECT_EQ(all.drafts.right, all.drafts.guessed);
  EXPECT_NEAR(all.tokens_per_step, 4.6, 1e-9) << "23 tokens in five steps";
  const SpecBenchRow none = run_spec_bench(model, usual(0)).rows.at(0);
  EXPECT_EQ(none.drafts.right, 0);
  EXPECT_GT(none.drafts.guessed, 2 * 4 * 19);
  EXPECT_EQ(none.tokens_per_step, 1);
  EXPECT_GT(none.plain_tokens_per_s, 0);
  EXPECT_GT(none.tokens_per_s, 0);
}

TEST(BenchSpec, AKindGuessesByTheTextAndNotByThatOfATurnBefore) {
  const Model model = Model::embedded();
  SpecBenchOptions o = usual(-1);
  o.text = model.tokenize("The bird saw a tree. It was a tall oak with old leaves. A fox came and sat below it.");
  o.depths = {1000};
  o.compute.draft = {.kind = "ngram", .most = 4};
  const SpecBenchResult result = run_spec_bench(model, o);
  EXPECT_EQ(result.kind, "ngram");
  EXPECT_EQ(result.rows.at(0).depth, std::ssize(o.text)) << "all there is";
  EXPECT_LT(result.rows.at(0).drafts.right, 2 * 20) << "the turn before says all of it";
}

TEST(BenchSpec, ReportsTellTheSame) {
  const SpecBenchResult result = run_spec_bench(Model::embedded(), usual(1));
  const auto json = nlohmann::json::parse(spec_bench_json(result)).at(0);
  EXPECT_EQ(json.at("draft_n"), result.rows[0].drafts.guessed);
  EXPECT_EQ(json.at("places").size(), 4u);
  EXPECT_EQ(json.at("draft_max"), 4);
  EXPECT_NE(spec_bench_markdown(result).find("100 100 100 100 |"), std::string::npos) << spec_bench_markdown(result);
  EXPECT_NE(spec_bench_csv(result).find("right with 1.00"), std::string::npos);
}

TEST(BenchSpec, AProbabilityAboveOneIsRefused) {
  EXPECT_EQ(std::string(test::error_of([] { run_spec_bench(Model::embedded(), usual(1.5)); }).what()),
            "a probability is 0 to 1, not 1.5");
}

}  // namespace
}  // namespace skald::bench_spec_test
