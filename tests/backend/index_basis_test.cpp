// The components of the key index: pages and queries turn as by the definition, on every tier.
#include "backend/cpu/attention/index_basis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/checked.h"
#include "quant/registry.h"
#include "tests/support/tiers.h"

namespace skald::index_basis_test {

constexpr int64_t kHeads = 2, kHead = 1, kGroup = 3;

std::vector<float> numbers(int64_t n, float seed) {
  std::vector<float> out(static_cast<size_t>(n));
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::sin(static_cast<float>(i % 997) * 1.7f + seed);
  return out;
}

struct Turned {
  explicit Turned(int64_t d) : d(d), keys(numbers(kHeads * d * d, 1)), queries(numbers(kHeads * d * d, 2)) {}

  IndexBasis basis(const KernelTable& kernels) { return {kernels, view(keys), view(queries)}; }
  TensorView view(std::vector<float>& x) const {
    return {.data = reinterpret_cast<std::byte*>(x.data()), .desc = {&format_f32, Shape{kHeads, d, d}}};
  }
  // Component c of x, whose numbers are `step` apart.
  double component(const std::vector<float>& of, int64_t c, const float* x, int64_t step = 1) const {
    double sum = 0;
    for (int64_t i = 0; i < d; ++i)
      sum += static_cast<double>(of[static_cast<size_t>((kHead * d + c) * d + i)]) * static_cast<double>(x[i * step]);
    return sum;
  }

  int64_t d;
  std::vector<float> keys, queries;
};

class IndexBases : public testing::TestWithParam<const Tier*> {
 protected:
  KernelTable kernels_ = build_kernel_table(GetParam()->name);
};

TEST_P(IndexBases, TurnAPageKeyByKey) {
  for (const int64_t d : {16, 64, 80, 128}) {
    Turned t(d);
    const int64_t columns = d + 32;  // blocks of the cache are filled up
    const std::vector<float> panels = numbers(columns * kPageKeys, 3);
    std::vector<float> out(static_cast<size_t>(d * kPageKeys));
    t.basis(kernels_).turn_page(kHead, panels.data(), columns, out.data());
    for (int64_t key = 0; key < kPageKeys; ++key)
      for (int64_t c = 0; c < d; ++c) {
        const float* const x = panels.data() + key / kPanel * columns * kPanel + key % kPanel;
        const float got = out[static_cast<size_t>((key / kPanel * d + c) * kPanel + key % kPanel)];
        ASSERT_NEAR(static_cast<double>(got), t.component(t.keys, c, x, kPanel), 1e-4) << d << ": " << key << ", " << c;
      }
  }
}

TEST_P(IndexBases, TurnQueriesHeadByHead) {
  for (const int64_t d : {16, 64, 80, 128}) {
    Turned t(d);
    const int64_t stride = round_up(d, kPanel);
    const std::vector<float> q = numbers(kGroup * stride, 4);
    std::vector<float> out(q.size(), NAN);
    t.basis(kernels_).turn_queries(kHead, q.data(), kGroup, stride, out.data());
    for (int64_t g = 0; g < kGroup; ++g)
      for (int64_t c = 0; c < stride; ++c)
        ASSERT_NEAR(static_cast<double>(out[static_cast<size_t>(g * stride + c)]),
                    c < d ? t.component(t.queries, c, q.data() + g * stride) : 0, 1e-4);
  }
}

TEST_P(IndexBases, ScoreWholeKeysAsChosenComponentsDo) {
  for (const int64_t d : {16, 80, 128}) {
    Turned t(d);
    const int64_t stride = round_up(d, kPanel), n = d - 3;
    const std::vector<float> weights = numbers(kGroup * d, 5), key = numbers(d, 6);
    std::vector<int32_t> dims;
    for (int32_t i = 0; i < n; ++i) dims.push_back(static_cast<int32_t>(d) - 1 - i);
    std::vector<float> out(static_cast<size_t>(kGroup * stride), NAN);
    t.basis(kernels_).to_whole(kHead, dims.data(), n, weights.data(), d, kGroup, out.data(), stride);
    for (int64_t g = 0; g < kGroup; ++g) {
      double by_components = 0, whole = 0;
      for (int64_t i = 0; i < n; ++i)
        by_components += static_cast<double>(weights[static_cast<size_t>(g * d + i)]) *
                         t.component(t.keys, dims[static_cast<size_t>(i)], key.data());
      for (int64_t i = 0; i < d; ++i)
        whole +=
            static_cast<double>(out[static_cast<size_t>(g * stride + i)]) * static_cast<double>(key[static_cast<size_t>(i)]);
      EXPECT_NEAR(whole, by_components, 2e-3) << d;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, IndexBases, testing::ValuesIn(tiers_up_to()), test::tier_name);

}  // namespace skald::index_basis_test
