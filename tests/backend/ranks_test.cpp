// Ranks: sums and exchanges between them, slices of weights, and marks by which they know each other.
#include <gtest/gtest.h>

#include <thread>

#include "backend/ranks/model_mark.h"
#include "backend/ranks/sliced_weights.h"
#include "graph/ops/exchange_columns.h"
#include "graph/ops/sum_ranks.h"
#include "tests/backend/op_bench.h"
#include "tests/support/errors.h"
#include "tests/support/small_model.h"
#include "tests/support/thread_group.h"

namespace skald {
namespace {

using Numbers = std::vector<float>;

/// The value that `add(bench, rank)` makes of a graph of each rank.
template <class Add>
std::vector<Numbers> on_ranks(size_t ranks, int64_t tokens, Add add) {
  test::Mailboxes boxes;
  std::vector<Numbers> out(ranks);
  std::vector<std::thread> threads;
  for (size_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      test::ThreadGroup group(boxes, static_cast<int>(r), static_cast<int>(ranks));
      test::OpBench bench(tokens);
      bench.group = &group;
      out[r] = bench.run(add(bench, r));
    });
  for (std::thread& t : threads) t.join();
  return out;
}

/// What a rank's activation (tokens, n) of this seed holds.
Numbers numbers_of(int64_t tokens, int64_t n, size_t rank) { return test::normal(tokens * n, 10 + rank); }

class RanksSum : public testing::TestWithParam<int64_t> {};

TEST_P(RanksSum, AddsInTheOrderOfTheRanksThoseThatCount) {
  const int64_t tokens = GetParam(), n = 96;
  std::vector<RankSum> plans;
  for (size_t r = 0; r < 3; ++r) plans.push_back({{true, false, true}, r});
  const std::vector<Numbers> got = on_ranks(3, tokens, [&](test::OpBench& bench, size_t r) {
    return bench.graph.add(op_sum_ranks, Attrs(SumRanks{&plans[r]}), {bench.activation(n, 10 + r)});
  });
  Numbers want = numbers_of(tokens, n, 0);
  const Numbers last = numbers_of(tokens, n, 2);
  for (size_t i = 0; i < want.size(); ++i) want[i] += last[i];
  for (const Numbers& sum : got) EXPECT_EQ(sum, want);
}

INSTANTIATE_TEST_SUITE_P(InOneExchangeOrTwo, RanksSum, testing::Values(1, 3, 200));

// Columns (tokens, 9) of which rank 0 has 0 to 2 and 7 to 8, and rank 1 has 2 to 6: both have column 2.
class RanksExchange : public testing::Test {
 protected:
  std::vector<Numbers> run(const Cut& to, int64_t tokens) const {
    std::vector<ColumnExchange> plans;
    for (size_t r = 0; r < 2; ++r) plans.emplace_back(9, from_, to, r);
    return on_ranks(2, tokens, [&](test::OpBench& bench, size_t r) {
      const Tensor x = bench.activation_of(size_of(from_[r]), columns(from_[r], tokens));
      return bench.graph.add(op_exchange_columns, Attrs(ExchangeColumns{&plans[r]}), {x});
    });
  }
  /// Numbers that name their row and column.
  static Numbers columns(const Slices& slices, int64_t tokens) {
    Numbers out;
    for (int64_t row = 0; row < tokens; ++row)
      for (const Slice& s : slices)
        for (int64_t c = s.first; c < s.end(); ++c) out.push_back(static_cast<float>(100 * row + c));
    return out;
  }

  Cut from_{{{{0, 3}, {7, 2}}, {{2, 5}}}};
};

TEST_F(RanksExchange, MakesAWholeOfSlices) {
  for (const int64_t tokens : {1, 4})
    for (const Numbers& got : run({}, tokens)) EXPECT_EQ(got, columns({{0, 9}}, tokens));
}

TEST_F(RanksExchange, MakesOtherSlices) {
  const Cut to{{{{0, 4}}, {{1, 2}, {4, 5}}}};
  for (const int64_t tokens : {1, 4}) {
    const std::vector<Numbers> got = run(to, tokens);
    EXPECT_EQ(got[0], columns(to[0], tokens));
    EXPECT_EQ(got[1], columns(to[1], tokens));
  }
}

TEST_F(RanksExchange, SendsNothingToARankThatHasItsColumns) {
  const ColumnExchange own(9, from_, from_, 0);
  EXPECT_TRUE(own.peers()[1].sent.empty());
  EXPECT_TRUE(own.peers()[1].received.empty());
}

/// Counts what is taken of a matrix (4, 2) and given back.
class Counted : public WeightSource {
 public:
  WeightPlace place(std::string_view) const override {
    ++taken;
    return reinterpret_cast<const std::byte*>(numbers.data());
  }
  void release(std::string_view) const override { ++released; }
  std::shared_ptr<const DeviceWeights> shared(const std::string&, const Load& load) const override { return load(); }

  Numbers numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  mutable int taken = 0, released = 0;
};

WeightSlice slice_of(Slices rows, Slices columns) {
  return {"w", {&format_f32, Shape{4, 2}}, {std::move(rows), std::move(columns)}};
}

TEST(SlicedWeights, RowsLieWhereTheWeightDoes) {
  const Counted all;
  const SlicedWeights sliced(all, {{"rows", slice_of({{1, 2}}, {})}});
  EXPECT_EQ(sliced.place("rows").rows, reinterpret_cast<const std::byte*>(all.numbers.data() + 2));
  sliced.release("rows");
  EXPECT_EQ(all.released, 1);
}

TEST(SlicedWeights, ColumnsAreCopiedAndTheWeightIsGivenBack) {
  const Counted all;
  const SlicedWeights sliced(all, {{"columns", slice_of({}, {{1, 1}})}});
  const auto* const copy = reinterpret_cast<const float*>(sliced.place("columns").rows);
  EXPECT_EQ(Numbers(copy, copy + 4), (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(all.released, 1);
  sliced.release("columns");
  EXPECT_EQ(all.released, 1);
}

TEST(ModelMark, SaysWhatDiffers) {
  const Counted weights;
  const Graph graph = test::SmallModel{}.graph({1, 1});
  const ModelMark mark = mark_of("fused", graph, weights);
  EXPECT_EQ(mark.differs_from(mark_of("fused", graph, weights)), "");
  EXPECT_NE(mark.differs_from(mark_of("exact", graph, weights)).find("its options are 'fused'"), std::string::npos);
  const Graph other = test::SmallModel{.n_layers = 3}.graph({1, 1});
  EXPECT_NE(mark.differs_from(mark_of("fused", other, weights)).find("built otherwise"), std::string::npos);
  ModelMark old = mark;
  old.version = "0.0.1 abc";
  EXPECT_NE(mark.differs_from(old).find("the first rank is 0.0.1 abc"), std::string::npos);
}

TEST(ModelMark, ComesAsItWasSent) {
  const ModelMark mark = mark_of("fused", test::SmallModel{}.graph({1, 1}), Counted());
  ByteWriter writer;
  mark.write(writer);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(ModelMark::read(reader).differs_from(mark), "");
}

}  // namespace
}  // namespace skald
