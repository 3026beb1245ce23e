// Shared by the tests of sparse decoding: setups, their names, and the comparison with the definition.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "backend/cpu/kernel_list.h"
#include "kernels/api/tier.h"
#include "tests/backend/sparq_reference.h"
#include "tests/support/close_to.h"
#include "tests/support/tiers.h"

namespace skald::sparq_test {

using test::AttentionBench;
using test::AttentionSetup;
using MeanRule = test::SparqReference::Mean;

inline constexpr const char* kIndexNames[] = {"no index", "f16 index", "int8 index", "int4 index"};
inline constexpr KeyIndex kIndexes[] = {KeyIndex::kNone, KeyIndex::kF16, KeyIndex::kInt8};

inline Attention heads(int64_t n_heads, int64_t n_kv_heads, int64_t d) {
  return {
      .n_heads = n_heads, .n_kv_heads = n_kv_heads, .d_k = d, .d_v = d, .scale = 1.0f / std::sqrt(static_cast<float>(d))};
}

inline KvStorage storage(const char* k, const char* v, KeyIndex index, bool rotate = true) {
  return {
      .k_type = k, .v_type = v, .layout = "rows", .rotate = rotate, .index = index, .value_sums = true, .key_sums = true};
}
inline KvStorage floats(KeyIndex index = KeyIndex::kNone) { return storage("f32", "f32", index); }
inline KvStorage by_dims(KvStorage s) {
  s.layout = "dims";
  return s;
}

inline SparqParams best_only(int64_t k1, int64_t k2, int64_t local = 0) {
  return {.k1 = k1, .k2 = k2, .local = local, .mean = false};
}
inline SparqParams with_mean(int64_t k1, int64_t k2, int64_t local) {
  return {.k1 = k1, .k2 = k2, .local = local, .mean = true};
}
inline SparqParams by_magnitude(SparqParams params) {
  params.choice = SparqChoice::kMagnitude;
  return params;
}

inline SparqParams for_loss(double loss) {
  SparqParams params;
  params.loss = loss;
  return params;
}
inline SparqParams by_pages(KeySelection selector, int64_t k1, int64_t k2, int64_t local = -1) {
  SparqParams params = best_only(k1, k2, local);
  params.selector = selector;
  return params;
}
inline KvStorage with_bounds(KvStorage s) {
  s.page_bounds = true;
  return s;
}

inline std::string text(const AttentionSetup& s) {
  return fmt::format("{}, K {} by {}, V {}, {}, {}; {}, {} sinks, {} threads; k1 {}, k2 {}, loss {}, local {}{}{}{}", s.tier,
                     s.storage.k_type, s.storage.layout, s.storage.v_type, s.storage.rotate ? "rotated" : "plain",
                     kIndexNames[static_cast<size_t>(s.storage.index)], s.a.describe(), s.limits.sinks, s.threads,
                     s.sparq.k1, s.sparq.k2, s.sparq.loss, s.sparq.local, s.sparq.mean.value_or(false) ? ", mean" : "",
                     s.sparq.choice == SparqChoice::kMagnitude ? ", by magnitude" : "",
                     s.sparq.selector == KeySelection::kSparq ? "" : ", by pages");
}

/// The length of the difference in lengths of the wanted values: one wrong key among the chosen ones of one row of many
/// moves it little. Keys chosen by another rule move it by about 1.
inline double relative_error(std::span<const float> got, std::span<const float> want) {
  double error = 0, length = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    error += std::pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
    length += std::pow(static_cast<double>(want[i]), 2);
  }
  return std::sqrt(error / length);
}

inline constexpr double kSameKeys = 1e-4, kNearlySameKeys = 1e-3, kOneTieMayDiffer = 0.03, kNearTiesMayDiffer = 0.15;

/// The rows from `from` on. kSameKeys bounds single numbers, other limits the error of all together.
inline void expect_rows(const AttentionBench& bench, const AttentionSetup& setup, size_t sequence, int64_t from,
                        double limit, MeanRule mean = MeanRule::kOfRuns) {
  const int64_t to = bench.sequence(sequence).kv->length();
  const std::vector<float> want = test::SparqReference(bench, sequence, mean).rows(from, to);
  const std::span<const float> got = bench.out(sequence, from);
  ASSERT_EQ(got.size(), want.size());
  if (limit <= kSameKeys) {
    EXPECT_TRUE(test::close_to(got, want, limit)) << text(setup) << "; sequence " << sequence << ", row " << from;
    return;
  }
  EXPECT_LT(relative_error(got, want), limit) << text(setup) << "; sequence " << sequence << ", row " << from;
}

class SparqOn : public testing::TestWithParam<const Tier*> {
 protected:
  void SetUp() override {
    if (!GetParam()->supported()) GTEST_SKIP() << "this CPU lacks " << GetParam()->name;
  }

  /// Some tiers round queries that meet an index of integers, so that a key may be chosen in the place of another that
  /// scores nearly as much.
  double limit_of(KeyIndex index) const {
    const std::string_view of = kIndexNames[static_cast<size_t>(index)];
    const auto rounds = [&](const KernelRow& row) {
      return row.kernel == "index_scores" && of.starts_with(row.of) &&
             (row.function == "index_scores_int16" || row.function == "index_scores_int4");
    };
    return std::ranges::any_of(list_kernels(GetParam()->name), rounds) ? kNearTiesMayDiffer : kSameKeys;
  }

  static KvLimits limits(int64_t max_keys, int64_t n_sequences = 1, int64_t sinks = 0) {
    return {.max_keys = max_keys, .max_rows = 500, .n_sequences = n_sequences, .sinks = sinks};
  }
  AttentionSetup setup(const Attention& a, const KvStorage& s, const SparqParams& params, const KvLimits& l,
                       int threads = 1) const {
    return {.tier = GetParam()->name, .threads = threads, .a = a, .storage = s, .limits = l, .sparq = params};
  }

  /// Dense rows and in between, where there are enough keys, sparse rows that must agree.
  void expect_agrees(const AttentionSetup& one, const std::vector<int64_t>& lengths, double limit) const {
    AttentionBench bench(one, lengths.back());
    for (const int64_t length : lengths) {
      bench.append(0, length - 1 - bench.sequence(0).kv->length());
      bench.generate({{0, 1}});
      if (limit <= kSameKeys) expect_rows(bench, one, 0, length - 1, limit);
    }
    if (limit > kSameKeys) expect_rows_at(bench, one, lengths, limit);
  }

  /// A sparse row each time that some of 1,400 keys were dropped after the first `keep`.
  static void expect_agrees_behind_drops(const AttentionSetup& one, int64_t keep, double limit) {
    AttentionBench bench(one, 2000);
    bench.append(0, 1400);
    for (const int64_t n : {130, 64, 1}) {
      bench.drop(0, keep, n);
      const int64_t from = bench.sequence(0).kv->length();
      bench.generate({{0, 1}});
      expect_rows(bench, one, 0, from, limit);
    }
  }

 private:
  static void expect_rows_at(const AttentionBench& bench, const AttentionSetup& one, const std::vector<int64_t>& lengths,
                             double limit) {
    std::vector<float> got, want;
    for (const int64_t length : lengths) {
      const std::vector<float> row = test::SparqReference(bench, 0).rows(length - 1, length);
      const std::span<const float> out = bench.out(0, length - 1).first(row.size());
      want.insert(want.end(), row.begin(), row.end());
      got.insert(got.end(), out.begin(), out.end());
    }
    EXPECT_LT(relative_error(got, want), limit) << text(one);
  }
};

struct Shape {
  int64_t n_heads, n_kv_heads, d, k1, k2;
};
inline constexpr Shape kShapes[] = {{2, 2, 32, 8, 16}, {4, 2, 64, 16, 24},  {5, 1, 80, 20, 33},
                                    {3, 3, 96, 1, 8},  {8, 1, 128, 32, 64}, {7, 7, 48, 47, 9}};
inline constexpr int64_t kSomeLengths[] = {10, 17, 63, 64, 65, 66, 128, 300, 1023, 1024, 1025, 1088, 1600};
inline std::vector<int64_t> some_lengths() { return {std::begin(kSomeLengths), std::end(kSomeLengths)}; }

}  // namespace skald::sparq_test
