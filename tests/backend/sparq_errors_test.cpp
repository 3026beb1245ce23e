// Steps that measure what their rows would lose if they read few keys.
#include "tests/backend/sparq_cases.h"

namespace skald::sparq_errors_test {
namespace {

using namespace sparq_test;

constexpr int64_t kBefore = 1100, kRows = 20;

SparqParams by_ratio(double ratio) {
  SparqParams params;
  params.ratio = ratio;
  return params;
}

class SparqErrorsOn : public SparqOn {
 protected:
  // fn(setup) for caches of each kind, and each way to choose keys.
  template <class Fn>
  void for_some(Fn fn) const {
    for (const KvStorage& s : {floats(), floats(KeyIndex::kInt8), storage("f16", "q4_0", KeyIndex::kInt4)})
      for (const SparqParams& params : {with_mean(8, 40, 10), by_magnitude(best_only(4, 100)), by_ratio(4)})
        for (const int threads : {1, 3}) fn(setup(heads(6, 2, 32), s, params, limits(1300), threads));
  }
};

// The sum of squares of what the row's query heads of a KV head have in one and not in the other.
double difference(const AttentionSetup& setup, std::span<const float> a, std::span<const float> b, int64_t row,
                  int64_t head) {
  const int64_t n = setup.a.n_heads / setup.a.n_kv_heads * setup.a.d_v, first = (row * setup.a.n_kv_heads + head) * n;
  double sum = 0;
  for (int64_t i = first; i < first + n; ++i) {
    const auto at = static_cast<size_t>(i);
    sum += std::pow(static_cast<double>(a[at]) - static_cast<double>(b[at]), 2);
  }
  return sum;
}

TEST_P(SparqErrorsOn, AreTheSquaresOfWhatSparseRowsHaveAndDenseOnesHaveNot) {
  for_some([](const AttentionSetup& s) {
    AttentionSetup all = s;
    all.sparq = {};
    AttentionBench few(s, 1300), dense(all, 1300), measured(s, 1300);
    for (AttentionBench* b : {&few, &dense, &measured}) b->append(0, kBefore);
    for (int64_t row = 0; row < kRows; ++row) few.generate({{0, 1}});
    dense.generate({{0, kRows}});
    const std::vector<float> errors = measured.measured_step({0, kRows});
    EXPECT_TRUE(test::close_to(measured.out(0, kBefore), dense.out(0, kBefore), kSameKeys)) << text(s);
    for (int64_t head = 0; head < s.a.n_kv_heads; ++head)
      for (int64_t row = 0; row < kRows; ++row) {
        const double want = difference(s, few.out(0, kBefore), dense.out(0, kBefore), row, head);
        ASSERT_GT(want, 1e-4);
        EXPECT_NEAR(static_cast<double>(errors[static_cast<size_t>(head * kRows + row)]), want, 1e-3 * want) << text(s);
      }
  });
}

INSTANTIATE_TEST_SUITE_P(All, SparqErrorsOn, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald::sparq_errors_test
