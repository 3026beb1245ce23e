// Pieces of steps: the same rows in the same order, with inputs and sequences of their own.
#include "backend/ranks/micro_steps.h"

#include <gtest/gtest.h>

#include <numeric>

#include "graph/input_names.h"
#include "tests/support/small_model.h"

namespace skald::micro_steps_test {
namespace {

struct Item {
  int64_t rows, before = 0;  // tokens of it in the cache
  bool decode = false;
};

using Items = std::vector<Item>;

/// A step of sequences, with one output each.
struct Step {
  explicit Step(const Items& items) {
    const auto slots = std::ssize(graph.states);
    views.resize(static_cast<size_t>(slots) * items.size());
    recurrent.resize(views.size());
    for (size_t q = 0; q < items.size(); ++q) {
      const Item& item = items[q];
      for (int64_t slot = 0; slot < slots; ++slot) {
        KvView& view = views[static_cast<size_t>(slot) * items.size() + q];
        view.decode = item.decode;
        view.kept = static_cast<int64_t>(q);  // to be known by
      }
      for (int64_t i = 0; i < item.rows; ++i) {
        positions.push_back(static_cast<int32_t>(item.before + i));
        tokens.push_back(static_cast<int32_t>(tokens.size()));
        row_seq.push_back(static_cast<int32_t>(q));
      }
      output_rows.push_back(static_cast<int32_t>(tokens.size()) - 1);
      sequences.push_back({item.rows, item.before + item.rows});
    }
    inputs = {{input_names::kTokens, tokens.data()},
              {input_names::kPositions, positions.data()},
              {input_names::kOutputRows, output_rows.data()}};
    args.inputs = inputs;
    args.positions = positions.data();
    args.kv = {views.data(), recurrent.data(), std::ssize(sequences), row_seq.data()};
    args.stats.n_tokens = std::ssize(tokens);
    args.stats.n_outputs = std::ssize(output_rows);
    args.stats.sequences = sequences;
  }
  std::vector<int64_t> sizes(int64_t n) {
    std::vector<int64_t> out;
    for (const StepArgs& piece : cut.cut(graph, args, n)) out.push_back(piece.stats.n_tokens);
    return out;
  }

  Graph graph = test::SmallModel().graph({512, 64});
  std::vector<int32_t> positions, tokens, row_seq, output_rows;
  std::vector<StepStats::Sequence> sequences;
  std::vector<KvView> views;
  std::vector<float*> recurrent;
  std::vector<StepValue> inputs;
  StepArgs args;
  MicroSteps cut;
};

int32_t first_of(const StepArgs& step, std::string_view name) {
  for (const StepValue& v : step.inputs)
    if (v.name == name) return *std::get<const int32_t*>(v.data);
  return -1;
}

TEST(MicroSteps, CutAPromptAtItsPages) {
  EXPECT_EQ(Step(Items{{256}}).sizes(2), (std::vector<int64_t>{128, 128}));
  EXPECT_EQ(Step(Items{{200}}).sizes(3), (std::vector<int64_t>{128, 64, 8}));
  EXPECT_EQ(Step(Items{{200, 30}}).sizes(2), (std::vector<int64_t>{162, 38})) << "up to position 192";
}

TEST(MicroSteps, CutNoGeneratedRows) {
  EXPECT_EQ(Step(Items{{128, 64, true}}).sizes(2), (std::vector<int64_t>{128}));
  EXPECT_EQ(Step(Items{{1, 9, true}, {1, 7, true}, {1, 5, true}, {1, 3, true}}).sizes(2), (std::vector<int64_t>{2, 2}));
}

TEST(MicroSteps, CutNoPrefixThatIsSeenInBothDirections) {
  Step step(Items{{256}});
  for (KvView& view : step.views) view.prefix = 256;
  EXPECT_EQ(step.sizes(2), (std::vector<int64_t>{256}));
}

TEST(MicroSteps, HaveTheirOwnSequencesAndInputs) {
  Step step(Items{{1, 9, true}, {128}, {1, 5, true}});
  const std::span<const StepArgs> pieces = step.cut.cut(step.graph, step.args, 2);
  ASSERT_EQ(pieces.size(), 2);
  const StepArgs &first = pieces[0], &second = pieces[1];
  EXPECT_EQ(first.stats.n_tokens, 65);
  EXPECT_EQ(first.kv.n_seqs, 2);
  EXPECT_EQ(first.stats.n_outputs, 1) << "of the prompt none yet";
  EXPECT_EQ(first.stats.sequences[1].rows, 64);
  EXPECT_EQ(first.stats.sequences[1].keys, 64);
  EXPECT_EQ(second.stats.n_tokens, 65);
  EXPECT_EQ(second.stats.n_outputs, 2);
  EXPECT_EQ(second.stats.sequences[0].keys, 128);
  EXPECT_EQ(second.kv.views[0].kept, 1) << "the rest of the prompt";
  EXPECT_EQ(second.kv.views[1].kept, 2);
  EXPECT_EQ(second.kv.row_seq[64], 1);
  EXPECT_EQ(second.positions[0], 64);
  EXPECT_EQ(first_of(second, input_names::kTokens), 65);
  EXPECT_EQ(first_of(second, input_names::kOutputRows), 63) << "counted from the piece's first row";
}

TEST(MicroSteps, HaveTheTokensOfTheStep) {
  Step step(Items{{70}, {1, 5, true}, {300, 20}});
  int32_t next = 0;
  for (const StepArgs& piece : step.cut.cut(step.graph, step.args, 5)) {
    EXPECT_EQ(first_of(piece, input_names::kTokens), next);
    next += static_cast<int32_t>(piece.stats.n_tokens);
  }
  EXPECT_EQ(next, step.args.stats.n_tokens);
}

TEST(MicroSteps, AreOneWhereReadingWeightsIsMostOfTheWork) {
  constexpr int64_t kWeights = 1 << 30;
  Step text(Items{{1, 9, true}}), prompt(Items{{512}});
  EXPECT_EQ(best_pieces(text.graph, text.args, 4, kWeights), 1);
  EXPECT_GT(best_pieces(prompt.graph, prompt.args, 2, kWeights), 2);
  EXPECT_GT(best_pieces(prompt.graph, prompt.args, 4, kWeights), best_pieces(prompt.graph, prompt.args, 2, kWeights));
}

TEST(MicroSteps, AreMoreWhereCachesAreLargerThanTheWeights) {
  Step step(Items{{1, 200'000, true}, {1, 200'000, true}});
  step.args.stats.kv_element_bytes_k = step.args.stats.kv_element_bytes_v = 2;
  EXPECT_EQ(best_pieces(step.graph, step.args, 2, int64_t{1} << 40), 1);
  EXPECT_GT(best_pieces(step.graph, step.args, 2, int64_t{1} << 20), 1);
}

}  // namespace
}  // namespace skald::micro_steps_test
