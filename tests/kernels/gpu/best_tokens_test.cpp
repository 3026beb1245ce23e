// The likeliest tokens of rows of logits, chosen on the device: against a sort on the host.
#include "tensor/best_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/gpu/kernel_table.h"
#include "tests/kernels/gpu/run_kernel.h"

namespace skald::gpu::best_tokens_test {
namespace {

constexpr int kSpare = 3;  // numbers between rows, and rows of the bucket that are not there
constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

using Rows = std::vector<std::vector<float>>;

std::vector<BestTokens> chosen(const Rows& rows, const simt::host::MachineOptions& options = {}) {
  const auto count = static_cast<int32_t>(rows.size());
  const size_t n = rows.front().size(), bucket = rows.size() + kSpare;
  std::vector<float> x;
  for (const std::vector<float>& row : rows) {
    x.insert(x.end(), row.begin(), row.end());
    x.insert(x.end(), kSpare, 1e9f);
  }
  std::vector<BestPart> parts(bucket * (n / BestPart::kTokens + 1));
  std::vector<int> counters(bucket);
  std::vector<BestTokens> out(bucket, BestTokens{.n = -1});
  simt::host::Machine machine(options);
  BestTokensArgs args{.rows = {&count}, .x = {x.data(), static_cast<int64_t>(n + kSpare)}, .n = static_cast<int>(n)};
  args.parts = parts.data();
  args.counters = counters.data();
  args.out = out.data();
  gpu_kernels<simt::HostTarget>().best_tokens(machine.stream(), args, static_cast<int64_t>(bucket));
  machine.run();
  EXPECT_EQ(counters, std::vector<int>(bucket, 0));
  for (size_t i = rows.size(); i < bucket; ++i) EXPECT_EQ(out[i].n, -1) << "row " << i << " is not there";
  out.resize(rows.size());
  return out;
}

std::vector<int32_t> sorted(const std::vector<float>& row) {
  std::vector<int32_t> ids(row.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::stable_sort(ids, std::greater<>(), [&](int32_t id) { return row[static_cast<size_t>(id)]; });
  ids.resize(std::min(ids.size(), static_cast<size_t>(BestTokens::kMost)));
  return ids;
}

void expect_best(const BestTokens& got, const std::vector<float>& row) {
  const std::vector<int32_t> want = sorted(row);
  ASSERT_EQ(got.n, std::ssize(want));
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got.tokens[i], want[i]) << "place " << i << " of " << row.size();
    ASSERT_EQ(got.logits[i], row[static_cast<size_t>(want[i])]);
  }
  double total = 0;
  for (const float x : row)
    total += std::exp(static_cast<double>(x) - static_cast<double>(row[static_cast<size_t>(want[0])]));
  EXPECT_EQ(got.finite, 1);
  EXPECT_EQ(got.top, row[static_cast<size_t>(want[0])]);
  EXPECT_NEAR(got.total / total, 1, 1e-6);
}

std::vector<float> normal(size_t n, uint32_t seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> numbers(0, 4);
  std::vector<float> out(n);
  for (float& x : out) x = numbers(bits);
  return out;
}

// Few different numbers of both signs, zeros of both signs among them.
std::vector<float> with_ties(size_t n, uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(bits() % 5) - 4;
  for (size_t i = 0; i < n; i += 3)
    if (out[i] == 0) out[i] = -0.0f;
  return out;
}

TEST(GpuBestTokens, AreThoseOfASortOfAnyLength) {
  for (const size_t n : std::initializer_list<size_t>{1, 2, 40, 64, 65, 255, 257, 1000, 4096, 4097, 4150, 8192, 13000}) {
    const Rows rows = {normal(n, 1), with_ties(n, 2), std::vector<float>(n, -1.5f), normal(n, 3)};
    const std::vector<BestTokens> got = chosen(rows);
    for (size_t i = 0; i < rows.size(); ++i) expect_best(got[i], rows[i]);
  }
}

TEST(GpuBestTokens, AreTheSameInAnyOrderOfThreadsAndBlocks) {
  const Rows rows = {with_ties(9000, 5), normal(9000, 6)};
  const std::vector<BestTokens> want = chosen(rows);
  for (const simt::host::MachineOptions& options : test::all_orders()) {
    SCOPED_TRACE(test::order_name(options));
    const std::vector<BestTokens> got = chosen(rows, options);
    for (size_t i = 0; i < rows.size(); ++i) {
      expect_best(got[i], rows[i]);
      EXPECT_EQ(got[i].total, want[i].total);
    }
  }
}

TEST(GpuBestTokens, TellWhereALogitIsNotFinite) {
  for (const float strange : {kInf, -kInf, kNan})
    for (const size_t at : std::initializer_list<size_t>{0, 300, 4999}) {
      Rows rows = {normal(5000, 1), normal(5000, 2), normal(5000, 3)};
      rows[1][at] = strange;
      const std::vector<BestTokens> got = chosen(rows);
      EXPECT_EQ(got[1].finite, 0) << strange << " at " << at;
      expect_best(got[0], rows[0]);
      expect_best(got[2], rows[2]);
    }
}

}  // namespace
}  // namespace skald::gpu::best_tokens_test
