// Evaluations: the same answers from every layout of the cache, kept in a file from which they go on.
#include "tools/eval/evaluate.h"

#include <gtest/gtest.h>

#include <fstream>

#include "skald/model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald::evaluate_test {
namespace {

class Evaluate : public testing::Test {
 protected:
  EvalOptions options(const std::vector<std::string>& methods) const {
    EvalOptions o;
    o.compute.device.n_threads = 1;
    for (const char* suite : {"needle", "copy"}) o.suites.push_back(&find_eval_suite(suite));
    o.lengths = {200, 300};
    for (const std::string& m : methods) o.methods.push_back(EvalMethod::named(m));
    o.caches = {EvalCache::named("f32")};
    o.cases = 2;
    return o;
  }
  static std::vector<std::string> lines(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  Model model_ = Model::embedded();
  test::TempDir dir_;
};

TEST_F(Evaluate, ARatioThatReadsAllKeysAnswersAsDenseAttentionDoes) {
  const EvalResult r = evaluate(*model_.loaded(), options({"dense", "sparq:1"}));
  ASSERT_EQ(r.rows.size(), 8u);  // suites, lengths, methods
  for (size_t i = 0; i < r.rows.size(); i += 2) {
    const EvalRow &dense = r.rows[i], &all = r.rows[i + 1];
    EXPECT_EQ(dense.method, "dense");
    EXPECT_EQ(dense.score.count(), 2);
    EXPECT_EQ(dense.score.mean(), all.score.mean()) << dense.suite;
    EXPECT_EQ(dense.tokens, all.tokens) << dense.suite;
    EXPECT_EQ(dense.bytes_per_token(), all.bytes_per_token());
    EXPECT_GT(dense.tokens_per_s(), 0);
  }
}

TEST_F(Evaluate, ReadsLessWhereItDecodesSparsely) {
  EvalOptions o = options({"dense", "sparq:2"});
  o.lengths = {450};
  const EvalResult r = evaluate(*model_.loaded(), o);
  for (size_t i = 0; i < r.rows.size(); i += 2)
    EXPECT_LT(r.rows[i + 1].bytes_per_token(), 0.7 * r.rows[i].bytes_per_token()) << r.rows[i].suite;
}

TEST_F(Evaluate, DenseDecodingBesideSelectorsReadsAndAnswersAsAlone) {
  EvalOptions alone = options({"dense"}), beside = options({"sparq:2", "pages:2", "dense"});
  alone.compute.cache.layout = beside.compute.cache.layout = "rows";  // all but the pages share a cache
  const EvalResult dense = evaluate(*model_.loaded(), alone), all = evaluate(*model_.loaded(), beside);
  ASSERT_EQ(all.rows.size(), 3 * dense.rows.size());
  for (size_t i = 0; i < dense.rows.size(); ++i) {
    const EvalRow& row = all.rows[3 * i + 2];
    EXPECT_EQ(row.method, "dense");
    EXPECT_EQ(row.score.mean(), dense.rows[i].score.mean()) << row.suite;
    EXPECT_EQ(row.tokens, dense.rows[i].tokens) << row.suite;
    EXPECT_EQ(row.bytes_per_token(), dense.rows[i].bytes_per_token()) << row.suite;
  }
}

TEST_F(Evaluate, GoesOnFromItsFile) {
  EvalOptions o = options({"dense"});
  o.save = dir_.path("answers.jsonl");
  int answers = 0;
  o.on_answer = [&](const EvalProgress&) {
    if (++answers == 3) throw Error(Errc::kDevice, "enough");
  };
  EXPECT_EQ(test::error_of([&] { evaluate(*model_.loaded(), o); }).code(), Errc::kDevice);
  EXPECT_EQ(lines(o.save).size(), 4u);  // their settings, and three answers
  std::ofstream(o.save, std::ios::app) << "{\"key\": \"cut";
  o.on_answer = {};
  const EvalResult whole = evaluate(*model_.loaded(), o);
  const std::vector<std::string> saved = lines(o.save);
  EXPECT_EQ(saved.size(), 9u);
  const EvalResult again = evaluate(*model_.loaded(), o);
  EXPECT_EQ(lines(o.save), saved);
  ASSERT_EQ(again.rows.size(), whole.rows.size());
  for (size_t i = 0; i < again.rows.size(); ++i) EXPECT_EQ(again.rows[i].seconds, whole.rows[i].seconds);
}

TEST_F(Evaluate, RefusesTheFileOfOtherQuestions) {
  EvalOptions o = options({"dense"});
  o.save = dir_.path("answers.jsonl");
  o.cases = 1;
  evaluate(*model_.loaded(), o);
  o.seed = 2;
  EXPECT_EQ(test::error_of([&] { evaluate(*model_.loaded(), o); }).code(), Errc::kBadInput);
  std::ofstream(o.save) << "hello\n";
  EXPECT_EQ(test::error_of([&] { evaluate(*model_.loaded(), o); }).code(), Errc::kBadFile);
}

TEST_F(Evaluate, RefusesTheFileOfOtherSettings) {
  EvalOptions o = options({"dense"});
  o.save = dir_.path("answers.jsonl");
  o.cases = 1;
  evaluate(*model_.loaded(), o);
  const auto refused = [&](const Model& model, const EvalOptions& other) {
    const Error e = test::error_of([&] { evaluate(*model.loaded(), other); });
    return e.code() == Errc::kBadInput;
  };
  EvalOptions layout = o, rotate = o, threads = o;
  layout.compute.cache.layout = "rows";
  rotate.compute.cache.rotate = false;
  threads.compute.device.n_threads = 2;
  EXPECT_TRUE(refused(model_, layout));
  EXPECT_TRUE(refused(model_, rotate));
  EXPECT_TRUE(refused(model_, threads));
  EXPECT_TRUE(refused(Model::embedded({.override_kv = {".rope.scaling.factor=float:2"}}), o));
  EXPECT_NO_THROW(evaluate(*model_.loaded(), o));
}

TEST_F(Evaluate, NamesMethodsAndCaches) {
  EXPECT_FALSE(EvalMethod::named("dense").sparq.on());
  EXPECT_EQ(EvalMethod::named("sparq:8").sparq.ratio, 8);
  EXPECT_EQ(EvalMethod::named("auto").sparq.loss, 0.01);
  EXPECT_EQ(EvalMethod::named("auto:0.02").sparq.loss, 0.02);
  EXPECT_EQ(EvalMethod::named("pages:8").sparq.selector, KeySelection::kPages);
  EXPECT_EQ(EvalMethod::named("pages:8").sparq.ratio, 8);
  for (const char* bad : {"", "sparq", "sparq:", "sparq:x", "sparq:8x", "sparq:0.5", "sparq:0", "auto:", "auto:0", "auto:2",
                          "dense:2", "pages", "pages:0"})
    EXPECT_EQ(test::error_of([&] { EvalMethod::named(bad); }).code(), Errc::kBadInput) << bad;
  EXPECT_EQ(EvalCache::named("q8_0/q4_0").v_type, "q4_0");
  EXPECT_EQ(EvalCache::named("small").k_type, "kc4");
}

}  // namespace
}  // namespace skald::evaluate_test
