// How methods predict the continuation of a text, beside the loss that perplexity measures and the formula of divergence.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "skald/model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"
#include "tools/eval/evaluate.h"
#include "tools/measure/logits.h"
#include "tools/measure/perplexity.h"

namespace skald::prediction_test {
namespace {

constexpr int64_t kPredicted = 64;

class Prediction : public testing::Test {
 protected:
  // The only case is the whole text.
  Prediction() : tokens_(EvalText(*model_.loaded()).begin()) {
    const EvalText text(*model_.loaded(), text_);
    tokens_.insert(tokens_.end(), text.given()->begin(), text.given()->end());
  }
  int64_t length() const { return std::ssize(tokens_) - kPredicted; }

  // Keys lie the same way for all methods: the order of sums differs otherwise.
  static EngineOptions compute() {
    EngineOptions o;
    o.device.n_threads = 1;
    o.cache.type_k = o.cache.type_v = "f32";
    o.cache.layout = "rows";
    return o;
  }
  EvalOptions options(const std::vector<EvalMethod>& methods) const {
    EvalOptions o;
    o.compute = compute();
    o.suites = {&find_eval_suite("perplexity")};
    o.lengths = {length()};
    o.methods = methods;
    o.caches = {EvalCache::named("f32")};
    o.cases = 1;
    o.text = text_;
    return o;
  }
  EvalResult run(const std::vector<EvalMethod>& methods) const { return evaluate(*model_.loaded(), options(methods)); }

  // Logits of the positions that predict, decoded one by one.
  std::vector<float> decoded(const SparqParams& sparq) const {
    EngineOptions o = compute();
    o.cache.sparq = sparq;
    const std::vector<float> all = compute_logits(*model_.loaded(), o, tokens_, length() - 1);
    return {all.begin() + (length() - 1) * n_vocab(), all.end() - n_vocab()};
  }
  int64_t n_vocab() const { return model_.loaded()->n_vocab(); }
  std::vector<double> log_probabilities(const float* row) const {
    double sum = 0;
    for (int64_t i = 0; i < n_vocab(); ++i) sum += std::exp(static_cast<double>(row[i]));
    std::vector<double> out;
    for (int64_t i = 0; i < n_vocab(); ++i) out.push_back(static_cast<double>(row[i]) - std::log(sum));
    return out;
  }
  static std::string story() {
    std::string out;
    for (const char* who : {"girl", "boy", "dog", "cat", "bird", "man", "bear", "fish"})
      out += std::string(" Once upon a time there was a little ") + who + ". One day the " + who +
             " went to the park. There it saw a big red ball and was very happy. \"Can I play with you?\" asked the " + who +
             ". They played all day, and then it was time to go home.";
    return out;
  }

  static void expect_same(const EvalResult& a, const EvalResult& b) {
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (size_t i = 0; i < a.rows.size(); ++i) {
      EXPECT_EQ(a.rows[i].loss.mean(), b.rows[i].loss.mean()) << a.rows[i].method;
      EXPECT_EQ(a.rows[i].divergence.mean(), b.rows[i].divergence.mean()) << a.rows[i].method;
      EXPECT_EQ(a.rows[i].divergence.error(), b.rows[i].divergence.error()) << a.rows[i].method;
    }
  }
  static std::vector<std::string> lines(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  std::string text_ = story();
  Model model_ = Model::embedded();
  EvalText::Tokens tokens_;
  test::TempDir dir_;
};

EvalMethod keys(int64_t k2) {
  EvalMethod out{.name = std::to_string(k2) + " keys"};
  out.sparq.k1 = 8;
  out.sparq.k2 = k2;
  return out;
}
const EvalMethod kDense = {.name = "dense"}, kFew = keys(64);

TEST_F(Prediction, OfDenseAttentionHasTheLossThatPerplexityMeasures) {
  EvalOptions o = options({kDense});
  o.compute.cache.layout = "dims";  // prompts, which perplexity reads, and generated tokens have one order of sums
  TokenChunks chunk;
  chunk.tokens = tokens_;
  chunk.n_ctx = chunk.step = std::ssize(tokens_);
  chunk.count = 1;
  chunk.first = length() - 1;
  const PerplexityResult want = measure_perplexity(*model_.loaded(), o.compute, chunk, {});
  ASSERT_EQ(want.loss.count(), kPredicted);
  const EvalRow row = evaluate(*model_.loaded(), o).rows[0];
  EXPECT_NEAR(row.loss.mean(), want.loss.mean(), 1e-6);
  EXPECT_NEAR(row.perplexity(), want.perplexity(), 1e-3);
  EXPECT_EQ(row.cases(), 1);
  EXPECT_EQ(row.tokens, kPredicted);
  EXPECT_EQ(row.score.count(), 0) << "there is nothing to be right or wrong";
}

TEST_F(Prediction, OfSparseAttentionDivergesAsTheFormulaSays) {
  const std::vector<float> dense = decoded({}), sparse = decoded(kFew.sparq);
  double divergence = 0, loss = 0;
  for (int64_t i = 0; i < kPredicted; ++i) {
    const std::vector<double> p = log_probabilities(dense.data() + i * n_vocab()),
                              q = log_probabilities(sparse.data() + i * n_vocab());
    for (size_t t = 0; t < p.size(); ++t) divergence += std::exp(p[t]) * (p[t] - q[t]) / kPredicted;
    loss -= q[static_cast<size_t>(tokens_[static_cast<size_t>(length() + i)])] / kPredicted;
  }
  ASSERT_GT(divergence, 1e-4) << "too little to tell";
  const EvalRow row = run({kFew}).rows[0];
  EXPECT_NEAR(row.divergence.mean(), divergence, 1e-3 * divergence);
  EXPECT_NEAR(row.loss.mean(), loss, 1e-4);
}

TEST_F(Prediction, ThatReadsAllKeysDoesNotDiverge) {
  const EvalResult r = run({kDense, EvalMethod::named("sparq:1"), keys(100000), kFew});
  ASSERT_EQ(r.rows.size(), 4u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(r.rows[i].divergence.mean(), 0) << r.rows[i].method;
  for (size_t i = 1; i < 3; ++i) EXPECT_EQ(r.rows[i].loss.mean(), r.rows[0].loss.mean()) << r.rows[i].method;
  EXPECT_GT(r.rows[3].divergence.mean(), 1e-4);
  EXPECT_LT(r.rows[3].bytes_per_token(), r.rows[0].bytes_per_token());
}

TEST_F(Prediction, HasErrorsOfTheMeansOfCases) {
  EvalOptions o = options({kFew});
  o.lengths = {150};
  o.cases = 1;
  o.save = dir_.path("answers.jsonl");
  MeanError loss, divergence;
  const EvalRow first = evaluate(*model_.loaded(), o).rows[0];
  loss.add(first.loss.mean());
  divergence.add(first.divergence.mean());
  o.cases = 2;
  const EvalRow both = evaluate(*model_.loaded(), o).rows[0];  // the second is the missing part of the mean of both
  loss.add(2 * both.loss.mean() - first.loss.mean());
  divergence.add(2 * both.divergence.mean() - first.divergence.mean());
  EXPECT_GT(both.loss.error(), 0);
  EXPECT_NEAR(both.loss.error(), loss.error(), 1e-9);
  EXPECT_NEAR(both.divergence.error(), divergence.error(), 1e-9);
}

TEST_F(Prediction, GoesOnFromItsFileWithTheSameResult) {
  EvalOptions o = options({kDense, kFew, keys(128)});
  o.cases = 2;
  o.lengths = {length() - 20};
  const EvalResult whole = evaluate(*model_.loaded(), o);
  for (const int end : {3, 4}) {  // the dense answers and one or both of the first case's others
    o.save = dir_.path(std::to_string(end));
    int answers = 0;
    o.on_answer = [&](const EvalProgress& p) {
      EXPECT_EQ(p.total, 6);
      if (++answers == end) throw Error(Errc::kDevice, "enough");
    };
    EXPECT_EQ(test::error_of([&] { evaluate(*model_.loaded(), o); }).code(), Errc::kDevice);
    EXPECT_EQ(std::ssize(lines(o.save)), 1 + end);
    o.on_answer = {};
    const EvalResult rest = evaluate(*model_.loaded(), o);
    EXPECT_EQ(lines(o.save).size(), 7u);
    expect_same(rest, whole);
  }
}

TEST_F(Prediction, OfAnotherTextIsNotTakenFromTheFile) {
  EvalOptions o = options({kDense});
  o.lengths = {150};
  o.save = dir_.path("answers.jsonl");
  const double loss = evaluate(*model_.loaded(), o).rows[0].loss.mean();
  std::string other = text_;
  std::swap(other[10], other[11]);
  o.text = other + other;
  EXPECT_NE(evaluate(*model_.loaded(), o).rows[0].loss.mean(), loss);
  o.text.reset();
  EXPECT_NE(evaluate(*model_.loaded(), o).rows[0].loss.mean(), loss);
  EXPECT_EQ(lines(o.save).size(), 4u);
}

TEST_F(Prediction, RefusesLengthsBeyondTheTextBeforeAnythingIsComputed) {
  EvalOptions o = options({kDense});
  o.lengths = {150, length() + 1};
  o.on_answer = [](const EvalProgress&) { ADD_FAILURE() << "was computed"; };
  EXPECT_EQ(test::error_of([&] { evaluate(*model_.loaded(), o); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald::prediction_test
