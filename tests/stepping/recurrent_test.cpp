// Recurrent slots end to end with a toy operation, an exponential average of each channel: y = s = 0.5 s + 0.5 x.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "graph/checks.h"
#include "graph/net.h"
#include "kv/saved_sequence.h"
#include "stepping/runner.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/random.h"

namespace skald {
namespace {

constexpr int64_t kTokens = 50, kColumns = 24;

struct Average {
  int32_t slot = 0;
  friend bool operator==(const Average&, const Average&) = default;
};

ValueDesc infer(const Average&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

const OpDef op_average = define_op<Average, infer>("average");

void run(CpuContext& cx, const Average& a, const OpArgs& io) {
  const KvBatch& batch = cx.step->kv;
  for (int64_t row = 0; row < io.out.rows(); ++row) {
    float* state = batch.recurrent[a.slot * batch.n_seqs + batch.row_seq[row]];
    for (int64_t c = 0; c < kColumns; ++c) io.out.row(row)[c] = state[c] = 0.5f * state[c] + 0.5f * io.in[0].row(row)[c];
  }
}

const CpuOp cpu_average = implement<Average, run>(op_average);

/// A model of two averages of the token's embedding and, between them in the same layer, an attention or two.
class Averages {
 public:
  explicit Averages(int attentions) : attentions_(attentions), table_(test::normal(kTokens * kColumns, 1)) {}

  StepModel step_model() const {
    return {.graph = [this](const StepCapacity& capacity) { return graph(capacity); },
            .weights = std::make_shared<LookupWeights>(
                [this](std::string_view) { return reinterpret_cast<const std::byte*>(table_.data()); }),
            .states = graph({}).states,
            .n_vocab = kTokens};
  }

  Graph graph(const StepCapacity& capacity) const {
    Graph graph;
    const auto lookup = [](std::string_view, const Shape* want) {
      return want ? std::optional(TensorDesc{&format_f32, *want}) : std::nullopt;
    };
    Net net(graph, lookup, capacity);
    Tensor x = net.embed("table", kTokens, kColumns);
    Net layer = net.layer_at(0);
    x = average(graph, layer, x);
    for (int i = 0; i < attentions_; ++i)
      x = layer.attention(x, x, x, {.n_heads = 3, .n_kv_heads = 3, .d_k = 8, .d_v = 8, .scale = 1});
    x = average(graph, net.layer_at(1), x);
    graph.give(net.output_rows(x).id);
    return graph;
  }

 private:
  static Tensor average(Graph& graph, Net net, Tensor x) {
    return graph.add(op_average, Attrs(Average{net.add_state(RecurrentState{kColumns})}), {x});
  }

  int attentions_;
  std::vector<float> table_;
};

class Recurrent : public testing::TestWithParam<int> {
 protected:
  std::vector<float> step(KvSequence& s, std::span<const TokenId> tokens, bool decode = false) {
    const StepItem item{&s, tokens, static_cast<int64_t>(tokens.size()), decode};
    const Logits y = runner_.run({&item, 1});
    return {y.all().begin(), y.all().end()};
  }
  std::vector<float> all_at_once(std::span<const TokenId> tokens) {
    KvSequence s = runner_.new_sequence();
    return step(s, tokens);
  }
  // The rows of the last n tokens.
  static std::vector<float> last(const std::vector<float>& rows, int64_t n) {
    return {rows.end() - n * kColumns, rows.end()};
  }

  Averages model_{GetParam()};
  CpuBackend backend_{2, "", {}, {&cpu_average}};
  Runner runner_{model_.step_model(), backend_, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"}, {.n_parallel = 4}};
  const std::vector<TokenId> text_ = test::some_tokens(20, 1, kTokens), other_ = test::some_tokens(7, 2, kTokens);
};

TEST_P(Recurrent, ChunksOfAPromptGiveWhatOneStepGives) {
  const std::vector<float> want = all_at_once(text_);
  for (const size_t chunk : {1, 3, 7}) {
    KvSequence s = runner_.new_sequence();
    std::vector<float> got;
    for (size_t at = 0; at < text_.size(); at += chunk)
      for (float x : step(s, std::span(text_).subspan(at, std::min(chunk, text_.size() - at)))) got.push_back(x);
    EXPECT_TRUE(test::close_to(got, want, 1e-6)) << "chunks of " << chunk;
  }
}

TEST_P(Recurrent, DecodingGoesOnFromThePrompt) {
  const std::vector<float> want = all_at_once(text_);
  KvSequence s = runner_.new_sequence();
  step(s, std::span(text_).first(12));
  std::vector<float> got;
  for (const TokenId token : std::span(text_).subspan(12))
    for (float x : step(s, {&token, 1}, true)) got.push_back(x);
  EXPECT_TRUE(test::close_to(got, last(want, 8), 1e-6));
}

TEST_P(Recurrent, SequencesOfOneStepDoNotMix) {
  KvSequence a = runner_.new_sequence(), b = runner_.new_sequence();
  const StepItem items[] = {{&a, text_, 1}, {&b, other_, 1}};
  const Logits y = runner_.run(items);
  const std::vector<float> of_a(y.row(0).begin(), y.row(0).end()), of_b(y.row(1).begin(), y.row(1).end());
  EXPECT_TRUE(test::close_to(of_a, last(all_at_once(text_), 1), 1e-6));
  EXPECT_TRUE(test::close_to(of_b, last(all_at_once(other_), 1), 1e-6));
}

TEST_P(Recurrent, AForkGoesOnByItself) {
  std::vector<TokenId> joined(text_);
  joined.insert(joined.end(), other_.begin(), other_.end());
  KvSequence a = runner_.new_sequence();
  step(a, text_);
  KvSequence b = a.fork();
  EXPECT_EQ(runner_.kv().recurrent().taken(), 1) << "shared until one of them goes on";
  const std::vector<float> of_a = step(a, other_), of_b = step(b, other_);
  EXPECT_EQ(runner_.kv().recurrent().taken(), 2);
  EXPECT_TRUE(test::same_bits(of_a, of_b));
  EXPECT_TRUE(test::close_to(of_a, last(all_at_once(joined), 7), 1e-6));
}

TEST_P(Recurrent, GoesBackToACheckpoint) {
  KvSequence s = runner_.new_sequence();
  step(s, text_);
  const KvCheckpoint checkpoint = s.checkpoint();
  const std::vector<float> want = step(s, other_);
  step(s, text_);
  s.restore(checkpoint);
  EXPECT_TRUE(test::same_bits(step(s, other_), want));
}

TEST_P(Recurrent, AStateDoesNotGoBack) {
  KvSequence s = runner_.new_sequence();
  step(s, text_);
  EXPECT_FALSE(s.truncate(10));
  EXPECT_EQ(s.length(), 20);
  EXPECT_TRUE(s.truncate(0));
  EXPECT_EQ(runner_.kv().recurrent().taken(), 0);
  EXPECT_TRUE(test::same_bits(step(s, text_), all_at_once(text_)));
}

TEST_P(Recurrent, IsSavedAndComesBack) {
  KvSequence s = runner_.new_sequence();
  step(s, text_);
  const SavedSequence saved(s);
  s.clear();
  EXPECT_EQ(runner_.kv().recurrent().taken(), 0);
  ASSERT_TRUE(saved.restore(s));
  std::vector<TokenId> joined(text_);
  joined.insert(joined.end(), other_.begin(), other_.end());
  EXPECT_TRUE(test::close_to(step(s, other_), last(all_at_once(joined), 7), 1e-6));
}

TEST_P(Recurrent, AStateThatAFailedStepMayHaveWrittenIsNotKept) {
  KvSequence s = runner_.new_sequence();
  step(s, text_);
  ASSERT_TRUE(s.reserve(21));
  EXPECT_FALSE(s.truncate(20)) << "the step began";
  s.unreserve();
  EXPECT_TRUE(s.truncate(20)) << "it did not";
}

TEST_P(Recurrent, ASlotOfFixedShapesIsRefusedByName) {
  const Error e = test::error_of([&] { model_.graph({.past = 8, .past_format = &format_f32}); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_EQ(std::string(e.what()), "blk.0.: a recurrent state does not go with fixed shapes");
}

INSTANTIATE_TEST_SUITE_P(Attentions, Recurrent, testing::Values(0, 1, 2));

}  // namespace
}  // namespace skald
