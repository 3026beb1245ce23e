// Layers that predict further tokens, beside a plain computation of Qwen3.5's in doubles.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "backend/cpu/cpu_backend.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/errors.h"

namespace skald::layers_ahead_test {
namespace {

using Row = std::vector<double>;

/// The last layer of tests/data/golden/qwen35_mtp, as Qwen's authors have it: one head of keys for two of queries, whose
/// outputs have gates; RoPE on half a head.
class PlainLayer {
 public:
  explicit PlainLayer(const LoadedModel& model) : weights_(model.weights()) {}

  /// Logits of the token after each, of tokens whose hidden rows before them are `hidden`.
  std::vector<Row> logits(std::span<const TokenId> tokens, const std::vector<Row>& hidden) {
    std::vector<Row> out;
    for (size_t i = 0; i < tokens.size(); ++i) {
      Row both = norm("nextn.enorm", row_of("token_embd.weight", tokens[i]));
      const Row before = norm("nextn.hnorm", hidden[i]);
      both.insert(both.end(), before.begin(), before.end());
      Row x = times(name("nextn.eh_proj"), both);
      add(x, attention(norm("attn_norm", x)));
      add(x, feed_forward(norm("post_attention_norm", x)));
      out.push_back(times("token_embd.weight", norm("nextn.shared_head_norm", x)));
    }
    return out;
  }

  Row times(const std::string& full_name, const Row& x) const {
    const WeightSet::Weight& w = weights_.weights.at(full_name);
    Row y(static_cast<size_t>(w.shape[0]));
    for (size_t r = 0; r < y.size(); ++r)
      for (size_t c = 0; c < x.size(); ++c) y[r] += x[c] * static_cast<double>(floats(w)[r * x.size() + c]);
    return y;
  }

 private:
  static constexpr size_t kHeads = 2, kHead = 16, kTurned = 8;

  static std::string name(const std::string& of) { return "blk.4." + of + ".weight"; }
  static const float* floats(const WeightSet::Weight& w) { return reinterpret_cast<const float*>(w.data); }
  static void add(Row& x, const Row& y) {
    for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }
  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  Row row_of(const std::string& table, TokenId token) const {
    const WeightSet::Weight& w = weights_.weights.at(table);
    const float* const at = floats(w) + token * w.shape[1];
    return {at, at + w.shape[1]};
  }
  Row norm(const std::string& of, const Row& x) const {
    double squares = 0;
    for (const double v : x) squares += v * v;
    const double by = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-6);
    Row y(x.size());
    for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * by * static_cast<double>(floats(weights_.weights.at(name(of)))[i]);
    return y;
  }
  static Row part(const Row& x, size_t first, size_t n) {
    const auto at = x.begin() + static_cast<std::ptrdiff_t>(first);
    return {at, at + static_cast<std::ptrdiff_t>(n)};
  }
  static Row turned(Row x, double position) {
    for (size_t i = 0; i < kTurned / 2; ++i) {
      const double angle = position * std::pow(1e6, -2.0 * static_cast<double>(i) / kTurned);
      double &a = x[i], &b = x[i + kTurned / 2];
      const double first = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = first;
    }
    return x;
  }

  Row attention(const Row& h) {
    const auto position = static_cast<double>(keys_.size());
    keys_.push_back(turned(norm("attn_k_norm", times(name("attn_k"), h)), position));
    values_.push_back(times(name("attn_v"), h));
    const Row queries = times(name("attn_q"), h);  // of each head the query, and then its gate
    Row all;
    for (size_t head = 0; head < kHeads; ++head) {
      const Row q = turned(norm("attn_q_norm", part(queries, 2 * head * kHead, kHead)), position);
      const Row seen = attend(q);
      for (size_t i = 0; i < kHead; ++i) all.push_back(seen[i] * sigmoid(queries[(2 * head + 1) * kHead + i]));
    }
    return times(name("attn_output"), all);
  }
  Row attend(const Row& q) const {
    Row out(kHead);
    double sum = 0;
    for (size_t k = 0; k < keys_.size(); ++k) {
      double score = 0;
      for (size_t i = 0; i < kHead; ++i) score += q[i] * keys_[k][i];
      const double share = std::exp(score / std::sqrt(static_cast<double>(kHead)));
      sum += share;
      for (size_t i = 0; i < kHead; ++i) out[i] += share * values_[k][i];
    }
    for (double& v : out) v /= sum;
    return out;
  }
  Row feed_forward(const Row& h) const {
    Row inner = times(name("ffn_gate"), h);
    const Row up = times(name("ffn_up"), h);
    for (size_t i = 0; i < inner.size(); ++i) inner[i] *= sigmoid(inner[i]) * up[i];
    return times(name("ffn_down"), inner);
  }

  const WeightSet& weights_;
  std::vector<Row> keys_, values_;
};

std::vector<Row> copies(const Logits& rows) {
  std::vector<Row> out;
  for (int64_t i = 0; i < rows.rows(); ++i) out.emplace_back(rows.row(i).begin(), rows.row(i).end());
  return out;
}

double largest_difference(const Row& a, const Row& b) {
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

/// A model's steps and those of its layer ahead.
struct Both {
  explicit Both(const LoadedModel& model)
      : main(model.step_model_with_hidden(), backend, kCache), ahead(model.ahead_model(main.weights()), backend, kCache) {}

  static constexpr int kThreads = 2;
  static inline const CacheOptions kCache = {.n_ctx = 128, .type_k = "f32", .type_v = "f32"};
  CpuBackend backend{kThreads, {}};
  Runner main, ahead;
};

std::vector<float> flat(std::span<const Row> rows) {
  std::vector<float> out;
  for (const Row& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

TEST(LayerAhead, TakesWhatTheLogitsAreMadeOfAndGivesWhatAPlainComputationDoes) {
  const test::Golden golden(test::data_dir() / "golden/qwen35_mtp");
  const std::shared_ptr<const LoadedModel> model = golden.load();
  Both both(*model);
  PlainLayer plain(*model);

  KvSequence kv = both.main.new_sequence();
  const StepItem step{.kv = &kv, .tokens = golden.prompt_ids, .n_outputs = 1};
  both.main.run({&step, 1});
  std::vector<Row> hidden = copies(both.main.hidden());
  ASSERT_EQ(hidden.size(), golden.prompt_ids.size());
  const test::Matrix want = golden.logits("logits");
  for (size_t i = 0; i < hidden.size(); ++i) {
    const auto row = std::span(want.values).subspan(i * static_cast<size_t>(want.cols), static_cast<size_t>(want.cols));
    EXPECT_LT(largest_difference(plain.times("token_embd.weight", hidden[i]), Row(row.begin(), row.end())), 1e-4) << i;
  }

  const std::span<const TokenId> tokens = std::span(golden.prompt_ids).subspan(1);
  hidden.pop_back();
  const std::vector<float> before = flat(hidden);
  KvSequence kv_ahead = both.ahead.new_sequence();
  const StepItem read{.kv = &kv_ahead, .tokens = tokens, .n_outputs = std::ssize(tokens), .hidden = before};
  const std::vector<Row> got = copies(both.ahead.run({&read, 1}));
  const std::vector<Row> plainly = plain.logits(tokens, hidden);
  ASSERT_EQ(got.size(), plainly.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_LT(largest_difference(got[i], plainly[i]), 1e-4) << i;
  // What it gives is what its logits are made of, too: it takes its own row for the token after the next.
  const std::vector<Row> own = copies(both.ahead.hidden());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_LT(largest_difference(plain.times("token_embd.weight", own[i]), got[i]), 1e-4) << i;
}

TEST(LayerAhead, HiddenRowsChangeNoLogits) {
  const test::Golden golden(test::data_dir() / "golden/qwen35_mtp");
  const std::shared_ptr<const LoadedModel> model = golden.load();
  Both both(*model);
  CpuBackend backend(2, {});
  Runner usual(model->step_model(), backend, Both::kCache);
  KvSequence a = both.main.new_sequence(), b = usual.new_sequence();
  const StepItem with{.kv = &a, .tokens = golden.prompt_ids, .n_outputs = 1},
      without{.kv = &b, .tokens = golden.prompt_ids, .n_outputs = 1};
  EXPECT_EQ(copies(both.main.run({&with, 1})), copies(usual.run({&without, 1})));
  EXPECT_EQ(usual.hidden().rows(), 0);
}

TEST(LayerAhead, StepsWantARowForEachToken) {
  const std::shared_ptr<const LoadedModel> model = test::Golden(test::data_dir() / "golden/qwen35_mtp").load();
  Both both(*model);
  KvSequence kv = both.ahead.new_sequence();
  const std::vector<TokenId> tokens = {3, 4};
  const std::vector<float> rows(33);
  const StepItem none{.kv = &kv, .tokens = tokens, .n_outputs = 1};
  const StepItem few{.kv = &kv, .tokens = tokens, .n_outputs = 1, .hidden = rows};
  EXPECT_EQ(std::string(test::error_of([&] {
                          both.ahead.run({&none, 1});
                        }).what()),
            "0 numbers of hidden for 2 tokens: want 32 for each");
  EXPECT_EQ(std::string(test::error_of([&] {
                          both.ahead.run({&few, 1});
                        }).what()),
            "33 numbers of hidden for 2 tokens: want 32 for each");
  EXPECT_EQ(std::string(test::error_of([&] { both.main.run({&few, 1}); }).what()), "this model's graph takes no hidden");
}

TEST(LayerAhead, WeightsAreLoadedOnlyWhereTheyAreWanted) {
  const std::shared_ptr<const LoadedModel> model = test::Golden(test::data_dir() / "golden/qwen35_mtp").load();
  Both both(*model);
  CpuBackend backend(2, {});
  const Runner usual(model->step_model(), backend, Both::kCache);
  int64_t of_layer = 0;
  for (const auto& [name, w] : model->weights().weights)
    if (name.starts_with("blk.4.")) of_layer += w.bytes;
  EXPECT_GT(of_layer, 0);
  EXPECT_GE(both.main.weights()->bytes(), usual.weights()->bytes() + of_layer);
  EXPECT_EQ(both.main.weights(), both.ahead.weights());
}

TEST(LayerAhead, ModelsWithoutSuchLayersAreRefusedByTheKey) {
  const std::shared_ptr<const LoadedModel> model = test::Golden(test::data_dir() / "golden/qwen35").load();
  const Error e = test::error_of([&] { model->step_model_with_hidden(); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_NE(std::string(e.what()).find("qwen35.nextn_predict_layers"), std::string::npos) << e.what();
}

}  // namespace
}  // namespace skald::layers_ahead_test
