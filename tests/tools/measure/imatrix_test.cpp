// Importance matrices: the sums of each kind of matmul, of a whole model, and adding matrices up.
#include "tools/measure/imatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/glu_linear.h"
#include "graph/ops/head_linear.h"
#include "graph/ops/linear.h"
#include "graph/ops/mix_experts.h"
#include "skald/model.h"
#include "tests/models/golden.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// One operation on numbers that the test gives.
class CollectorTest : public testing::Test {
 protected:
  static constexpr int64_t kTokens = 2;

  Tensor x(const std::vector<float>& values) {
    return input(&format_f32, {kTokens, static_cast<int64_t>(values.size()) / kTokens}, values.data());
  }
  Tensor ids(const std::vector<int32_t>& values) {
    return input(&format_i32, {kTokens, static_cast<int64_t>(values.size()) / kTokens}, values.data());
  }
  Tensor weight(const std::string& name, Shape shape) {
    data_.push_back(nullptr);
    return graph_.weight(name, {&format_f32, shape});
  }
  // Shows it to the collector.
  void see(const OpDef& op, Attrs attrs, std::initializer_list<Tensor> inputs) {
    const Node& node = graph_.node(graph_.add(op, attrs, inputs).id);
    data_.push_back(nullptr);
    std::vector<TensorView> views;
    for (const int i : node.inputs)
      views.push_back({.data = static_cast<std::byte*>(const_cast<void*>(data_[static_cast<size_t>(i)])),
                       .desc = graph_.node(i).out.tensor()});
    collector_.before(graph_, node, views);
  }
  Imatrix::Entry entry(const std::string& name) const { return collector_.entries().at(name); }

  ThreadPool pool_{2};
  ImatrixCollector collector_{pool_, false};

 private:
  Tensor input(const Format* format, Shape shape, const void* data) {
    data_.push_back(data);
    return graph_.input("in" + std::to_string(data_.size()), {format, shape, Rows::kTokens});
  }

  Graph graph_;
  std::vector<const void*> data_;  // per node
};

TEST_F(CollectorTest, SumsTheSquaresOfEachColumnForAllWeightsOfAnOperation) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Tensor in = x(values);
  see(op_linear, Attrs(NoAttrs{}), {in, weight("blk.0.attn_q.weight", {4, 3}), weight("blk.0.attn_k.weight", {2, 3})});
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.attn_k.weight"}) {
    EXPECT_THAT(entry(name).sums, ElementsAre(17, 29, 45)) << name;
    EXPECT_THAT(entry(name).counts, ElementsAre(2)) << name;
  }
}

TEST_F(CollectorTest, GoesOnCounting) {
  const std::vector<float> values = {1, 2, 3, 4};
  const Tensor in = x(values), w = weight("blk.0.ffn_down.weight", {4, 2});
  see(op_linear, Attrs(NoAttrs{}), {in, w});
  see(op_linear, Attrs(NoAttrs{}), {in, w});
  EXPECT_THAT(entry("blk.0.ffn_down.weight").sums, ElementsAre(20, 40));
  EXPECT_THAT(entry("blk.0.ffn_down.weight").counts, ElementsAre(4));
}

TEST_F(CollectorTest, GivesGateAndUpAnEntryEach) {
  const std::vector<float> values = {1, 2, 3, 4};
  see(op_glu_linear, Attrs(Activate{}),
      {x(values), weight("blk.0.ffn_gate.weight", {4, 2}), weight("blk.0.ffn_up.weight", {4, 2})});
  EXPECT_THAT(collector_.entries(),
              UnorderedElementsAre(Pair("blk.0.ffn_gate.weight", testing::_), Pair("blk.0.ffn_up.weight", testing::_)));
  EXPECT_THAT(entry("blk.0.ffn_up.weight").sums, ElementsAre(10, 20));
}

TEST_F(CollectorTest, KeepsHeadsApartUnderOneCount) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  see(op_head_linear, Attrs(NoAttrs{}), {x(values), weight("blk.0.attn_k_b.weight", {2, 3, 2})});
  EXPECT_THAT(entry("blk.0.attn_k_b.weight").sums, ElementsAre(26, 40, 58, 80)) << "two heads of two columns";
  EXPECT_THAT(entry("blk.0.attn_k_b.weight").counts, ElementsAre(2));
}

TEST_F(CollectorTest, CountsForExpertsTheRowsThatGoToThem) {
  const std::vector<float> values = {1, 2, 3, 4};
  const std::vector<int32_t> chosen = {0, 2, 2, 0};
  see(op_expert_glu_linear, Attrs(Activate{}),
      {x(values), weight("blk.0.ffn_gate_exps.weight", {3, 4, 2}), weight("blk.0.ffn_up_exps.weight", {3, 4, 2}),
       ids(chosen)});
  for (const char* name : {"blk.0.ffn_gate_exps.weight", "blk.0.ffn_up_exps.weight"}) {
    EXPECT_THAT(entry(name).sums, ElementsAre(10, 20, 0, 0, 10, 20)) << name;
    EXPECT_THAT(entry(name).counts, ElementsAre(2, 0, 2)) << name;
  }
}

TEST_F(CollectorTest, TakesOfMixedExpertsThePartThatIsTheirs) {
  const std::vector<float> values = {1, 2, 10, 20, 3, 4, 30, 40}, shares = {1, 1, 1, 1};
  const std::vector<int32_t> chosen = {1, 0, 1, 2};
  see(op_mix_experts, Attrs(NoAttrs{}),
      {x(values), weight("blk.0.ffn_down_exps.weight", {3, 5, 2}), ids(chosen), x(shares)});
  EXPECT_THAT(entry("blk.0.ffn_down_exps.weight").sums, ElementsAre(100, 400, 10, 20, 900, 1600));
  EXPECT_THAT(entry("blk.0.ffn_down_exps.weight").counts, ElementsAre(1, 2, 1));
}

TEST_F(CollectorTest, LooksAtTheOutputOnlyWhereAsked) {
  const std::vector<float> values = {1, 2, 3, 4};
  const Tensor in = x(values), w = weight("output.weight", {4, 2});
  see(op_linear, Attrs(NoAttrs{}), {in, w});
  EXPECT_THAT(collector_.entries(), IsEmpty());
}

TEST_F(CollectorTest, NamesTheWeightThatMeetsInfinity) {
  for (const float bad : {HUGE_VALF, std::numeric_limits<float>::quiet_NaN()}) {
    const std::vector<float> values = {1, 2, bad, 4};
    const Error e = test::error_of([&] {
      see(op_linear, Attrs(NoAttrs{}), {x(values), weight("blk.7.ffn_up.weight", {4, 2})});
    });
    EXPECT_THAT(e.what(), HasSubstr("blk.7.ffn_up.weight"));
  }
}

TokenChunks windows(int64_t n_vocab, int64_t tokens = 60) {
  return cut_tokens(test::some_tokens(tokens, 5, n_vocab), std::nullopt, {.n_ctx = 20});
}

std::vector<float> rms_normed(const float* x, const float* weight, int64_t n, float eps) {
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(eps));
  std::vector<float> out;
  for (int64_t i = 0; i < n; ++i)
    out.push_back(static_cast<float>(static_cast<double>(x[i]) * scale * static_cast<double>(weight[i])));
  return out;
}

TEST(CollectImatrix, SeesWhatTheFirstLayerGets) {
  const auto model = test::load({});
  const TokenChunks text = windows(101);
  const Imatrix m = collect_imatrix(*model, {.device = {.n_threads = 2}}, text, {.dataset = "a.txt"}).imatrix;
  const WeightSet& weights = model->weights();
  const auto floats = [&](const char* name) { return reinterpret_cast<const float*>(weights.weights.at(name).data); };
  constexpr int64_t kWidth = 96;
  std::vector<double> want(kWidth);
  for (int64_t i = 0; i < text.count; ++i)
    for (const TokenId t : text.window(i)) {
      const auto row = rms_normed(floats("token_embd.weight") + t * kWidth, floats("blk.0.attn_norm.weight"), kWidth, 1e-5F);
      for (size_t c = 0; c < row.size(); ++c) want[c] += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    }
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight"}) {
    const Imatrix::Entry& e = m.entries.at(name);
    EXPECT_THAT(e.counts, ElementsAre(60)) << "all positions, of the last layer too";
    for (size_t c = 0; c < want.size(); ++c) EXPECT_THAT(e.sums[c], FloatNear(static_cast<float>(want[c]), 1e-3F)) << c;
  }
  EXPECT_THAT(m.entries.at("blk.1.ffn_down.weight").counts, ElementsAre(60));
  EXPECT_EQ(m.chunk_size, 20);
  EXPECT_EQ(m.chunk_count, 3);
  EXPECT_THAT(m.datasets, ElementsAre("a.txt"));
  EXPECT_FALSE(m.entries.contains("output.weight"));
  EXPECT_EQ(m.entries.size(), 14U) << "seven weights of two layers";
}

TEST(CollectImatrix, DoesNotChangeWhatIsComputed) {
  const auto model = test::load({});
  const TokenChunks text = windows(101);
  const CollectedImatrix seen = collect_imatrix(*model, {.device = {.n_threads = 2}}, text, {.output = true});
  EXPECT_EQ(seen.perplexity.loss.mean(), measure_perplexity(*model, {.device = {.n_threads = 2}}, text, {}).loss.mean());
  EXPECT_THAT(seen.imatrix.entries.at("output.weight").counts, ElementsAre(60));
}

TEST(CollectImatrix, DoesNotDependOnThreadsOrSteps) {
  const auto model = test::load({});
  const TokenChunks text = windows(101);
  const auto sums = [&](int threads, int64_t ubatch) {
    return collect_imatrix(*model, {.device = {.n_threads = threads}, .schedule = {.n_ubatch = ubatch}}, text, {})
        .imatrix.entries.at("blk.1.ffn_up.weight")
        .sums;
  };
  const std::vector<float> want = sums(1, 512);
  EXPECT_EQ(sums(3, 512), want);
  const std::vector<float> small_steps = sums(2, 7);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_THAT(small_steps[i], FloatNear(want[i], 1e-5F * want[i]));
}

TEST(CollectImatrix, CountsEachTokenForItsExperts) {
  const test::Golden golden(test::data_dir() / "golden/mixtral");
  const auto model = golden.load();
  const Imatrix m = collect_imatrix(*model, {.device = {.n_threads = 2}}, windows(model->n_vocab()), {}).imatrix;
  for (const char* name : {"blk.1.ffn_gate_exps.weight", "blk.1.ffn_up_exps.weight", "blk.1.ffn_down_exps.weight"}) {
    const std::vector<int64_t>& counts = m.entries.at(name).counts;
    EXPECT_EQ(counts, m.entries.at("blk.1.ffn_gate_exps.weight").counts) << name;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), 2 * 60) << "two experts of each token";
  }
  // Each token's input counts twice for the experts and once for the router.
  const Imatrix::Entry &router = m.entries.at("blk.1.ffn_gate_inp.weight"),
                       &experts = m.entries.at("blk.1.ffn_up_exps.weight");
  EXPECT_NEAR(std::accumulate(experts.sums.begin(), experts.sums.end(), 0.0),
              2 * std::accumulate(router.sums.begin(), router.sums.end(), 0.0), 1e-2);
}

TEST(Merge, AddsSumsAndCounts) {
  Imatrix a, b;
  a.chunk_size = 10;
  a.entries["w"] = {{1, 2}, {10}};
  a.datasets = {"a"};
  b.chunk_size = 99;
  b.entries["w"] = {{3, 4}, {20}};
  b.entries["v"] = {{5}, {30}};
  b.datasets = {"b"};
  merge(a, b);
  EXPECT_THAT(a.entries.at("w").sums, ElementsAre(4, 6));
  EXPECT_THAT(a.entries.at("w").counts, ElementsAre(30));
  EXPECT_THAT(a.entries.at("v").counts, ElementsAre(30));
  EXPECT_THAT(a.datasets, ElementsAre("a", "b"));
  EXPECT_EQ(a.chunk_count, 3);
}

TEST(Merge, TakesDatFilesByTheSizeOfAChunk) {
  Imatrix a, dat;
  a.chunk_size = 10;
  dat.entries["w"] = {{6, 8}, {2}};  // means of 3 and 4 over two chunks
  merge(a, dat);
  EXPECT_THAT(a.entries.at("w").counts, ElementsAre(20));
  EXPECT_THAT(a.entries.at("w").means(), ElementsAre(3, 4));
}

TEST(Merge, LetsOneCountStandForAllExperts) {
  Imatrix a, b;
  a.chunk_size = 1;
  a.entries["w"] = {{1, 2}, {3}};
  b.chunk_size = 1;
  b.entries["w"] = {{1, 2}, {4, 5}};
  merge(a, b);
  EXPECT_THAT(a.entries.at("w").counts, ElementsAre(7, 8));
}

TEST(Merge, NamesEntriesOfOtherSizes) {
  Imatrix a, b;
  a.chunk_size = 1;
  a.entries["w"] = {{1, 2}, {3}};
  b.chunk_size = 1;
  b.entries["w"] = {{1, 2, 3}, {4}};
  EXPECT_THAT(test::error_of([&] { merge(a, b); }).what(), HasSubstr("w: 3 values and 1 counts do not go with 2 and 1"));
  b.entries["w"] = {{1, 2}, {4, 4}};
  a.entries["w"] = {{1, 2, 3}, {3, 3, 3}};
  EXPECT_EQ(test::error_of([&] { merge(a, b); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald
