// Sparse decoding on the host as a GPU, or on a card: it agrees with its definition, as on the CPU, and gives a row the same
// bits alone and among others, and in every order of threads.
#include "tests/backend/gpu_attention.h"
#include "tests/backend/sparq_cases.h"
#include "tests/support/errors.h"
#include "tests/support/gpu_backend.h"

namespace skald::gpu_sparq_test {
namespace {

using namespace sparq_test;
using simt::host::MachineOptions, simt::host::Order;
using test::GpuAttention;

// Queries and weights are 16-bit floats there.
constexpr double kLimit = 0.005, kLimitOfCodes = 0.02;
constexpr int64_t kRows = 128;  // of a step

KvStorage halves(KeyIndex index = KeyIndex::kInt8) { return storage("f16", "f16", index); }

AttentionSetup setup(const Attention& a, const KvStorage& s, const SparqParams& params, int64_t max_keys,
                     int64_t n_sequences = 1, int64_t sinks = 0) {
  return {.tier = "scalar",
          .threads = 1,
          .a = a,
          .storage = s,
          .limits = {.max_keys = max_keys, .max_rows = 500, .n_sequences = n_sequences, .sinks = sinks},
          .sparq = params};
}

/// The same sequences on the CPU, whose cached numbers the definition goes by, and on a device.
class Both {
 public:
  explicit Both(const AttentionSetup& s, int64_t positions, MachineOptions options = {},
                const std::vector<float>& basis = {})
      : setup_(s),
        cpu_(s, positions),
        backend_(test::gpu_backend(options)),
        gpu_(*backend_, s, cpu_, positions, kRows, basis) {}

  void append(size_t sequence, int64_t rows) {
    cpu_.append(sequence, rows);
    gpu_.append(sequence, rows, kRows);
  }
  void drop(size_t sequence, int64_t keep, int64_t n) {
    cpu_.drop(sequence, keep, n);
    gpu_.drop(sequence, keep, n);
  }
  void truncate(size_t sequence, int64_t n) {
    cpu_.truncate(sequence, n);
    gpu_.truncate(sequence, n);
  }
  std::vector<float> sparse_step(const GpuAttention::Shares& shares) {
    cpu_.generate(shares);
    return gpu_.step(shares, /*generated=*/true);
  }
  /// The largest error of a KV head in the last row of a sequence, if it is not below the limit. A key may be
  /// chosen beside those that are asked for: its weight is nearly that of the last one.
  double error(std::span<const float> got, size_t sequence, double limit) const {
    const auto kv_heads = static_cast<size_t>(setup_.a.n_kv_heads), columns = got.size() / kv_heads;
    const bool by_pages = setup_.sparq.selector == KeySelection::kPages;
    const int64_t n = cpu_.sequence(sequence).kv->length(), step = by_pages ? kPageKeys : 1;
    const int64_t most = setup_.sparq.k2 + (by_pages ? 0 : 1);
    std::vector<double> least(kv_heads, HUGE_VAL);
    for (SparqParams params = setup_.sparq; params.k2 <= most && std::ranges::max(least) >= limit; params.k2 += step) {
      const std::vector<float> want = test::SparqReference(cpu_, sequence, params).rows(n - 1, n);
      for (size_t head = 0; head < kv_heads; ++head)
        least[head] = std::min(least[head], relative_error(got.subspan(head * columns, columns),
                                                           std::span(want).subspan(head * columns, columns)));
    }
    return std::ranges::max(least);
  }

  AttentionBench& cpu() { return cpu_; }
  GpuAttention& gpu() { return gpu_; }

 private:
  AttentionSetup setup_;
  AttentionBench cpu_;
  std::unique_ptr<gpu::GpuBackend> backend_;
  GpuAttention gpu_;
};

/// Generated rows in between those of a prompt.
void expect_agrees(const AttentionSetup& one, const std::vector<int64_t>& lengths, double limit) {
  Both both(one, lengths.back());
  for (const int64_t length : lengths) {
    both.append(0, length - 1 - both.cpu().sequence(0).kv->length());
    EXPECT_LT(both.error(both.sparse_step({{0, 1}}), 0, limit), limit) << text(one) << "; row " << length - 1;
  }
}

/// A generated row each time that some of 1,400 keys were dropped after the first `keep`.
void expect_agrees_behind_drops(const AttentionSetup& one, int64_t keep) {
  Both both(one, 2000);
  both.append(0, 1400);
  for (const int64_t n : {130, 64, 1}) {
    both.drop(0, keep, n);
    EXPECT_LT(both.error(both.sparse_step({{0, 1}}), 0, kLimit), kLimit) << text(one) << "; keep " << keep << ", drop " << n;
  }
}

TEST(GpuSparq, AttendsToTheBestKeysForEveryShape) {
  for (const sparq_test::Shape& s : {sparq_test::Shape{2, 2, 32, 8, 100},
                                     {6, 2, 64, 16, 200},
                                     {5, 1, 80, 20, 133},
                                     {8, 1, 128, 32, 264},
                                     {34, 2, 64, 16, 200},
                                     {2, 1, 256, 40, 300}})
    for (const bool mean : {false, true})
      expect_agrees(setup(heads(s.n_heads, s.n_kv_heads, s.d), halves(),
                          mean ? with_mean(s.k1, s.k2, s.k2 / 4) : best_only(s.k1, s.k2), 2200),
                    {90, 320, 1030, 1088, 2100}, kLimit);
}

TEST(GpuSparq, ReadsEveryIndex) {
  for (const KeyIndex index : {KeyIndex::kF16, KeyIndex::kInt8, KeyIndex::kInt4})
    for (const SparqParams& params : {best_only(24, 300), by_magnitude(best_only(16, 200)), with_mean(48, 400, 20)})
      expect_agrees(setup(heads(6, 2, 48), halves(index), params, 2200), {1030, 1151, 1152, 2112},
                    index == KeyIndex::kInt4 ? kLimitOfCodes : kLimit);
}

TEST(GpuSparq, ReadsEveryCache) {
  for (const char* type : {"q8_0", "q4_0"})
    for (const bool rotate : {true, false})
      for (const int64_t d : {48, 128})
        expect_agrees(setup(heads(4, 2, d), storage(type, type, KeyIndex::kInt8, rotate), with_mean(16, 200, 12), 1400),
                      {500, 1030, 1300}, kLimitOfCodes);
}

TEST(GpuSparq, ReadsFloatsAndUnlikeKeysAndValues) {
  for (const auto& [keys, values] :
       {std::pair{"f32", "f32"}, {"bf16", "bf16"}, {"f16", "q8_0"}, {"q8_0", "f16"}, {"q4_0", "bf16"}})
    for (const int64_t d : {20, 64, 128}) {
      if (d % 32 && (std::string(keys).starts_with("q") || std::string(values).starts_with("q"))) continue;
      expect_agrees(setup(heads(4, 2, d), storage(keys, values, KeyIndex::kInt8), with_mean(d / 4, 200, 12), 1400),
                    {500, 1030, 1300}, kLimitOfCodes);
    }
}

TEST(GpuSparq, AgreesForEveryChangeOfScores) {
  for (const float alibi : {0.0f, 8.0f})
    for (const float softcap : {0.0f, 2.0f}) {
      Attention a = heads(3, 3, 32);
      a.alibi_max_bias = alibi;
      a.softcap = softcap;
      a.sink_logits = true;
      for (const SparqParams& params : {best_only(8, 100, 6), with_mean(8, 100, 6)})
        expect_agrees(setup(a, halves(), params, 1300), {200, 1050, 1300}, kLimit);
    }
}

TEST(GpuSparq, AgreesForWindows) {
  for (const KeyWindow window : {KeyWindow{150}, {1100}, {1200, 1200}})
    for (const int64_t sinks : {0, 70}) {
      Attention a = heads(2, 2, 32);
      a.window = window;
      for (const SparqParams& params : {best_only(8, 64, 6), with_mean(8, 64, 6)})
        expect_agrees(setup(a, halves(), params, 1500, 1, sinks), {130, 200, 1024, 1100, 1250, 1400}, kLimit);
    }
}

TEST(GpuSparq, AgreesAfterKeysWereDropped) {
  for (const int64_t keep : {0, 1, 70})
    for (const SparqParams& params : {best_only(8, 64, 6), with_mean(8, 64, 6)}) {
      Attention a = heads(2, 2, 32);
      a.kept_queries = true;
      for (const float alibi : {0.0f, 1.0f}) {  // with biases no key counts that is so far away
        a.alibi_max_bias = alibi;
        expect_agrees_behind_drops(setup(a, halves(), params, 1400), keep);
      }
    }
}

TEST(GpuSparq, AttendsToTheBestPages) {
  const SparqParams params = by_pages(KeySelection::kPages, 0, 300, 70);
  for (const KeyIndex index : {KeyIndex::kNone, KeyIndex::kInt8})
    for (const int64_t n_kv_heads : {6, 2, 1})
      expect_agrees(setup(heads(6, n_kv_heads, 32), with_bounds(halves(index)), params, 1600), {320, 384, 385, 1024, 1600},
                    kLimit);
  expect_agrees(setup(heads(2, 2, 48), with_bounds(storage("q8_0", "q8_0", KeyIndex::kNone)), params, 1300), {400, 1300},
                kLimitOfCodes);
}

TEST(GpuSparq, AttendsToTheBestPagesOfAWindowAndAfterWhatWasDropped) {
  const SparqParams params = by_pages(KeySelection::kPages, 0, 200, 20);
  for (const int64_t sinks : {0, 4, 70, 130}) {
    Attention a = heads(4, 2, 32);
    a.window = {700};
    expect_agrees(setup(a, with_bounds(halves()), params, 1500, 1, sinks), {300, 700, 770, 1400}, kLimit);
  }
  for (const int64_t keep : {0, 1, 70, 130}) {
    Attention a = heads(2, 2, 32);
    a.softcap = 5;
    a.kept_queries = true;
    for (const float alibi : {0.0f, 1.0f}) {
      a.alibi_max_bias = alibi;
      expect_agrees_behind_drops(setup(a, with_bounds(halves()), params, 1400), keep);
    }
  }
}

TEST(GpuSparq, ScoresTheKeysOfTheBestPages) {
  for (const int64_t n_kv_heads : {6, 2})
    for (const int64_t sinks : {0, 70}) {
      Attention a = heads(6, n_kv_heads, 64);
      a.window = {sinks ? 1300 : 0};
      expect_agrees(setup(a, with_bounds(halves()), by_pages(KeySelection::kPagesThenSparq, 16, 100), 2100, 1, sinks),
                    {1024, 1088, 2100}, kLimit);
    }
}

// The components of the index in another order, with other signs: the choice is the same.
TEST(GpuSparq, ChoosesByTheComponentsOfABasis) {
  constexpr int64_t kDims = 48, kHeads = 2;
  std::vector<float> basis(static_cast<size_t>(kHeads * kDims * kDims));
  for (int64_t i = 0; i < kHeads * kDims; ++i)
    basis[static_cast<size_t>(i * kDims + (7 * i + 5 + i / kDims) % kDims)] = i % 3 ? 1.0f : -1.0f;
  for (const SparqParams& params : {best_only(16, 200), by_magnitude(with_mean(16, 200, 12))}) {
    const AttentionSetup one = setup(heads(6, kHeads, kDims), halves(), params, 2200);
    Both both(one, 2200, {}, basis);
    for (const int64_t length : {600, 1030, 2100}) {
      both.append(0, length - 1 - both.cpu().sequence(0).kv->length());
      EXPECT_LT(both.error(both.sparse_step({{0, 1}}), 0, kLimit), kLimit) << text(one) << "; row " << length - 1;
    }
  }
}

// Each component of a reflection has parts of all dimensions: together they score whole keys.
TEST(GpuSparq, ScoresWholeKeysByAllComponentsOfABasis) {
  constexpr int64_t kDims = 32, kHeads = 2;
  std::vector<float> basis(static_cast<size_t>(kHeads * kDims * kDims));
  for (int64_t i = 0; i < kHeads * kDims; ++i)
    for (int64_t j = 0; j < kDims; ++j)
      basis[static_cast<size_t>(i * kDims + j)] = (i % kDims == j ? 1.0f : 0.0f) - 2.0f / static_cast<float>(kDims);
  for (const char* type : {"f16", "q8_0"}) {
    const KvStorage s = storage(type, type, KeyIndex::kF16);
    const AttentionSetup one = setup(heads(4, kHeads, kDims), s, best_only(kDims, 150), 1300);
    Both both(one, 1300, {}, basis);
    both.append(0, 1240);
    EXPECT_LT(both.error(both.sparse_step({{0, 1}}), 0, kLimitOfCodes), kLimitOfCodes) << text(one);
  }
}

// Few keys have nearly all of the weight: the others are not all alike.
TEST(GpuSparq, AgreesWhereWeightsAreVerySmall) {
  Attention a = heads(4, 2, 64);
  a.scale = 3;
  expect_agrees(setup(a, halves(), best_only(16, 200), 1300), {1040, 1300}, kLimit);
}

TEST(GpuSparq, ReadsAboutAsMuchAsItIsAskedFor) {
  SparqParams params;
  params.ratio = 6;
  params.even = true;
  Both both(setup(heads(6, 2, 64), halves(KeyIndex::kInt4), params, 2200), 2200);
  both.append(0, 2100);
  both.sparse_step({{0, 1}});
  const double share = static_cast<double>(both.gpu().reads.read) / static_cast<double>(both.gpu().reads.dense);
  EXPECT_GT(share, 0.99 / 6);
  EXPECT_LT(share, 1.01 / 6);
}

TEST(GpuSparq, SaysWhatItHasNoKernelsFor) {
  const auto why = [](const KvStorage& s, const SparqParams& params) {
    return std::string(test::error_of([&] {
                         Both both(setup(heads(2, 2, 32), s, params, 300), 300);
                         both.append(0, 200);
                         both.sparse_step({{0, 1}});
                       }).what());
  };
  EXPECT_NE(why(halves(KeyIndex::kNone), best_only(8, 64)).find("cache.sparq.index: none"), std::string::npos);
  KvStorage by_dimensions = halves();
  by_dimensions.layout = "dims";
  EXPECT_NE(why(by_dimensions, best_only(8, 64)).find("--kv-layout dims"), std::string::npos);
}

// Values that were taken back count no more.
TEST(GpuSparq, MixesInTheMeanOfTheValuesThatAreThere) {
  const AttentionSetup one = setup(heads(2, 2, 32), halves(), with_mean(8, 64, 6), 1400);
  Both both(one, 1400);
  both.append(0, 700);
  both.truncate(0, 650);
  both.append(0, 100);
  EXPECT_LT(both.error(both.sparse_step({{0, 1}}), 0, kLimit), kLimit);
}

// Alone, among rows of others, and in a step with enough rows of a sequence for tiles.
TEST(GpuSparq, GivesARowTheSameBitsInEveryStep) {
  for (const SparqParams& params : {with_mean(8, 100, 6), by_magnitude(best_only(8, 100, 6))}) {
    const AttentionSetup three = setup(heads(4, 2, 64), halves(KeyIndex::kInt4), params, 1400, 3);
    Both alone(three, 1400), among(three, 1400);
    for (Both* each : {&alone, &among}) {
      each->append(0, 1100);
      each->append(1, 60);
      each->append(2, 1070);
    }
    std::vector<float> want;
    for (int i = 0; i < 12; ++i) {
      const std::vector<float> row = alone.sparse_step({{0, 1}});
      want.insert(want.end(), row.begin(), row.end());
    }
    std::vector<float> got = among.sparse_step({{2, 3}, {0, 2}, {1, 1}});
    const auto columns = static_cast<std::ptrdiff_t>(three.a.n_heads * three.a.d_v);
    std::vector<float> rows(got.begin() + 3 * columns, got.begin() + 5 * columns);
    got = among.sparse_step({{1, 2}, {0, 10}});
    rows.insert(rows.end(), got.begin() + 2 * columns, got.end());
    EXPECT_TRUE(test::same_bits(rows, want)) << text(three);
  }
}

TEST(GpuSparq, GivesTheSameBitsInEveryOrder) {
  const AttentionSetup one = setup(heads(6, 2, 64), halves(KeyIndex::kInt4), with_mean(16, 150, 6), 1400);
  const auto rows = [&](MachineOptions options) {
    Both both(one, 1400, options);
    both.append(0, 1151);
    return both.sparse_step({{0, 1}});
  };
  const std::vector<float> want = rows({});
  for (const Order order : {Order::kBackward, Order::kRandom})
    EXPECT_TRUE(test::same_bits(rows({.threads = order, .blocks_backward = true}), want));
}

TEST(GpuSparq, MeasuresHowFarOffFewKeysAre) {
  constexpr int64_t kMeasured = 5;
  for (const int64_t n_heads : {6, 40}) {
    const AttentionSetup s = setup(heads(n_heads, 2, 32), halves(), with_mean(8, 100, 10), 1300);
    AttentionSetup all = s;
    all.sparq = {};
    Both few(s, 1300), dense(all, 1300), measured(s, 1300);
    for (Both* each : {&few, &dense, &measured}) each->append(0, 1100);
    std::vector<float> errors(static_cast<size_t>(s.a.n_kv_heads * kMeasured));
    const std::vector<float> out = measured.gpu().step({{0, kMeasured}}, true, errors.data());
    const std::vector<float> sparse = few.gpu().step({{0, kMeasured}}, true),
                             full = dense.gpu().step({{0, kMeasured}}, true);
    EXPECT_TRUE(test::same_bits(out, full));
    EXPECT_EQ(measured.gpu().reads.dense, 0);
    const int64_t n = n_heads / s.a.n_kv_heads * s.a.d_v;
    for (int64_t i = 0; i < kMeasured * s.a.n_kv_heads; ++i) {
      double want = 0;
      for (int64_t c = i * n; c < (i + 1) * n; ++c) {
        const auto at = static_cast<size_t>(c);
        want += std::pow(static_cast<double>(sparse[at]) - static_cast<double>(full[at]), 2);
      }
      ASSERT_GT(want, 1e-6);
      const float got = errors[static_cast<size_t>(i % s.a.n_kv_heads * kMeasured + i / s.a.n_kv_heads)];
      EXPECT_NEAR(static_cast<double>(got), want, 1e-3 * want);
    }
  }
}

}  // namespace
}  // namespace skald::gpu_sparq_test
