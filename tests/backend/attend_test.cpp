// Attention on plain memory, against its definition.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "skald/ops.h"
#include "tests/support/errors.h"
#include "tests/support/random.h"

namespace skald::attend_test {
namespace {

/// Keys, values and queries of a layer. Rows of a head follow each other.
struct Layer {
  int64_t heads, kv_heads, n, d;
  std::vector<float> q = test::normal(heads * d, 1), k = test::normal(kv_heads * n * d, 2),
                     v = test::normal(kv_heads * n * d, 3);

  HeadRows rows(const std::vector<float>& x) const {
    constexpr auto kBytes = int64_t{sizeof(float)};
    return {.data = x.data(), .heads = kv_heads, .rows = n, .d = d, .head_stride = n * d * kBytes, .row_stride = d * kBytes};
  }
  std::vector<float> attended(const AttendOptions& options = {}) const {
    std::vector<float> out(static_cast<size_t>(heads * d));
    attend(q.data(), heads, rows(k), rows(v), out.data(), options);
    return out;
  }
  double expected(int64_t head, int64_t c) const {
    const int64_t first = head / (heads / kv_heads) * n;
    double sum = 0, weighted = 0;
    for (int64_t i = first; i < first + n; ++i) {
      double score = 0;
      for (int64_t j = 0; j < d; ++j)
        score += double{q[static_cast<size_t>(head * d + j)]} * k[static_cast<size_t>(i * d + j)];
      const double weight = std::exp(score / std::sqrt(static_cast<double>(d)));
      sum += weight;
      weighted += weight * v[static_cast<size_t>(i * d + c)];
    }
    return weighted / sum;
  }
  void expect(const std::vector<float>& out) const {
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t c = 0; c < d; ++c)
        ASSERT_NEAR(out[static_cast<size_t>(head * d + c)], expected(head, c), 1e-4) << head << " " << c;
  }
};

TEST(Attend, IsTheSoftmaxOfScoresTimesValues) {
  for (const Layer& layer : {Layer{4, 2, 1, 64}, Layer{4, 2, 64, 64}, Layer{6, 1, 200, 80}, Layer{3, 3, 130, 7}}) {
    layer.expect(layer.attended({.n_threads = 1}));
    layer.expect(layer.attended({.n_threads = 3}));
  }
}

TEST(Attend, SparselyToAllKeysIsDense) {
  const Layer layer{4, 2, 1500, 64};
  AttendOptions options{.n_threads = 2};
  options.sparq.k1 = 16;
  options.sparq.k2 = 1500;
  layer.expect(layer.attended(options));
}

TEST(Attend, CountsFewerBytesWhereItIsSparse) {
  const Layer layer{2, 2, 2048, 64};
  std::vector<float> out(128);
  AttendOptions options{.n_threads = 1};
  options.sparq.k1 = 16;
  options.sparq.k2 = 128;
  const AttendUse use = attend(layer.q.data(), 2, layer.rows(layer.k), layer.rows(layer.v), out.data(), options);
  EXPECT_EQ(use.dense, 2 * 2 * 2048 * 64 * 4);
  EXPECT_LT(use.read, use.dense / 3);
}

TEST(Attend, RefusesByName) {
  const Layer layer{4, 2, 100, 64};
  std::vector<float> out(256);
  const auto refused = [&](int64_t heads, const HeadRows& k, const AttendOptions& options = {}) {
    return std::string(
        test::error_of([&] { attend(layer.q.data(), heads, k, layer.rows(layer.v), out.data(), options); }).what());
  };
  EXPECT_NE(refused(3, layer.rows(layer.k)).find("evenly"), std::string::npos);
  HeadRows few = layer.rows(layer.k);
  few.rows = 99;
  EXPECT_NE(refused(4, few).find("do not go with"), std::string::npos);
  HeadRows other = layer.rows(layer.k);
  other.type = "q8_0";
  EXPECT_NE(refused(4, other).find("q8_0"), std::string::npos);
  AttendOptions loss;
  loss.sparq.loss = 0.1;
  EXPECT_NE(refused(4, layer.rows(layer.k), loss).find("sparq.loss"), std::string::npos);
}

}  // namespace
}  // namespace skald::attend_test
