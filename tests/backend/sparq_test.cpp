// Sparse decoding on the CPU: agrees with its definition for every shape, cache and mask, is dense where it keeps all keys,
// and a row's bits do not depend on threads, neighbours, or keys that were taken back.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kernels/api/tier.h"
#include "tests/backend/sparq_reference.h"
#include "tests/support/close_to.h"
#include "tests/support/tiers.h"

namespace skald {
namespace {

using test::AttentionBench;
using test::AttentionSetup;
using Mean = test::SparqReference::Mean;

constexpr const char* kIndexNames[] = {"no index", "f16 index", "int8 index"};
constexpr KeyIndex kIndexes[] = {KeyIndex::kNone, KeyIndex::kF16, KeyIndex::kInt8};

Attention heads(int64_t n_heads, int64_t n_kv_heads, int64_t d) {
  return {
      .n_heads = n_heads, .n_kv_heads = n_kv_heads, .d_k = d, .d_v = d, .scale = 1.0f / std::sqrt(static_cast<float>(d))};
}

KvStorage storage(const char* k, const char* v, KeyIndex index, bool rotate = true) {
  return {
      .k_type = k, .v_type = v, .layout = "rows", .rotate = rotate, .index = index, .value_sums = true, .key_sums = true};
}
KvStorage floats(KeyIndex index = KeyIndex::kNone) { return storage("f32", "f32", index); }
KvStorage by_dims(KvStorage s) {
  s.layout = "dims";
  return s;
}

SparqParams best_only(int64_t k1, int64_t k2, int64_t local = 0) {
  return {.k1 = k1, .k2 = k2, .local = local, .mean = false};
}
SparqParams with_mean(int64_t k1, int64_t k2, int64_t local) { return {.k1 = k1, .k2 = k2, .local = local, .mean = true}; }
SparqParams by_magnitude(SparqParams params) {
  params.choice = SparqChoice::kMagnitude;
  return params;
}

SparqParams for_loss(double loss) {
  SparqParams params;
  params.loss = loss;
  return params;
}
SparqParams by_pages(KeySelection selector, int64_t k1, int64_t k2, int64_t local = -1) {
  SparqParams params = best_only(k1, k2, local);
  params.selector = selector;
  return params;
}
KvStorage with_bounds(KvStorage s) {
  s.page_bounds = true;
  return s;
}

std::string text(const AttentionSetup& s) {
  return fmt::format("{}, K {} by {}, V {}, {}, {}; {}, {} sinks, {} threads; k1 {}, k2 {}, loss {}, local {}{}{}{}", s.tier,
                     s.storage.k_type, s.storage.layout, s.storage.v_type, s.storage.rotate ? "rotated" : "plain",
                     kIndexNames[static_cast<size_t>(s.storage.index)], s.a.describe(), s.limits.sinks, s.threads,
                     s.sparq.k1, s.sparq.k2, s.sparq.loss, s.sparq.local, s.sparq.mean.value_or(false) ? ", mean" : "",
                     s.sparq.choice == SparqChoice::kMagnitude ? ", by magnitude" : "",
                     s.sparq.selector == KeySelection::kSparq ? "" : ", by pages");
}

/// The length of the difference in lengths of what is wanted: one wrong key among the chosen ones of one row of many moves
/// it little, keys chosen by another rule move it by about 1.
double relative_error(std::span<const float> got, std::span<const float> want) {
  double error = 0, length = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    error += std::pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
    length += std::pow(static_cast<double>(want[i]), 2);
  }
  return std::sqrt(error / length);
}

constexpr double kSameKeys = 1e-4, kNearlySameKeys = 1e-3, kOneTieMayDiffer = 0.03, kNearTiesMayDiffer = 0.15;

/// For the same keys: of the weight that they hold, what the others have is known as well as the index is rounded.
double limit_of(const SparqParams& params, KeyIndex index) {
  return params.mean.value_or(false) && index != KeyIndex::kNone ? 5 * kSameKeys : kSameKeys;
}

/// The rows from `from` on. kSameKeys bounds single numbers, other limits the error of all together.
void expect_rows(const AttentionBench& bench, const AttentionSetup& setup, size_t sequence, int64_t from, double limit,
                 Mean mean = Mean::kOfRuns) {
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

  static KvLimits limits(int64_t max_keys, int64_t n_sequences = 1, int64_t sinks = 0) {
    return {.max_keys = max_keys, .max_rows = 500, .n_sequences = n_sequences, .sinks = sinks};
  }
  AttentionSetup setup(const Attention& a, const KvStorage& s, const SparqParams& params, const KvLimits& l,
                       int threads = 1) const {
    return {.tier = GetParam()->name, .threads = threads, .a = a, .storage = s, .limits = l, .sparq = params};
  }

  /// Dense rows and in between, where there are so many keys, sparse rows that must agree.
  void expect_agrees(const AttentionSetup& one, const std::vector<int64_t>& lengths, double limit) const {
    AttentionBench bench(one, lengths.back());
    for (const int64_t length : lengths) {
      bench.append(0, length - 1 - bench.sequence(0).kv->length());
      bench.sparse_step({{0, 1}});
      if (limit <= kSameKeys) expect_rows(bench, one, 0, length - 1, limit);
    }
    if (limit > kSameKeys) expect_rows_at(bench, one, lengths, limit);
  }

  /// A sparse row each time that some of 1,400 keys were dropped behind the first `keep`.
  static void expect_agrees_behind_drops(const AttentionSetup& one, int64_t keep, double limit) {
    AttentionBench bench(one, 2000);
    bench.append(0, 1400);
    for (const int64_t n : {130, 64, 1}) {
      bench.drop(0, keep, n);
      const int64_t from = bench.sequence(0).kv->length();
      bench.sparse_step({{0, 1}});
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
constexpr Shape kShapes[] = {{2, 2, 32, 8, 16}, {4, 2, 64, 16, 24},  {5, 1, 80, 20, 33},
                             {3, 3, 96, 1, 8},  {8, 1, 128, 32, 64}, {7, 7, 48, 47, 9}};
constexpr int64_t kSomeLengths[] = {10, 17, 63, 64, 65, 66, 128, 300, 1023, 1024, 1025, 1088, 1600};
std::vector<int64_t> some_lengths() { return {std::begin(kSomeLengths), std::end(kSomeLengths)}; }

TEST_P(SparqOn, AttendsToTheBestKeysOnly) {
  for (const Shape& s : kShapes)
    expect_agrees(setup(heads(s.n_heads, s.n_kv_heads, s.d), floats(), best_only(s.k1, s.k2), limits(1600)), some_lengths(),
                  kSameKeys);
}

TEST_P(SparqOn, MixesInTheMeanOfAllValues) {
  for (const Shape& s : kShapes)
    expect_agrees(setup(heads(s.n_heads, s.n_kv_heads, s.d), floats(), with_mean(s.k1, s.k2, s.k2 / 4), limits(1600)),
                  some_lengths(), kSameKeys);
}

TEST_P(SparqOn, KeepsTheMostRecentKeys) {
  for (const KeyIndex index : kIndexes)
    for (const int64_t n_kv_heads : {4, 1})
      for (const int64_t local : {0, 1, 31, 32, -1})
        expect_agrees(setup(heads(4, n_kv_heads, 32), floats(index), best_only(32, 32, local), limits(1400)),
                      {40, 100, 1100, 1152, 1400}, local == 32 || n_kv_heads == 4 ? kSameKeys : kNearTiesMayDiffer);
}

// With a query head for each KV head, ranking the doubtful keys again makes good for the index's rounding.
TEST_P(SparqOn, ChoosesTheSameKeysWithAnIndex) {
  for (const KeyIndex index : {KeyIndex::kF16, KeyIndex::kInt8})
    for (const char* type : {"f32", "f16", "bf16"})
      for (const auto& params : {best_only(16, 64), by_magnitude(best_only(16, 64)), with_mean(12, 100, 25)})
        expect_agrees(setup(heads(2, 2, 64), storage(type, type, index), params, limits(5000)),
                      {1000, 1023, 1024, 1087, 1088, 2000, 2047, 2048, 2049, 3100, 5000}, limit_of(params, index));
}

TEST_P(SparqOn, ChoosesNearlyTheSameKeysForGroups) {
  for (const KeyIndex index : {KeyIndex::kF16, KeyIndex::kInt8})
    for (const auto& params : {best_only(16, 64), by_magnitude(best_only(16, 64)), with_mean(12, 100, 25)})
      for (const int64_t n_kv_heads : {2, 1})
        expect_agrees(setup(heads(6, n_kv_heads, 64), floats(index), params, limits(3100)),
                      {1024, 1087, 1088, 1500, 2000, 2049, 2100, 3100}, kNearlySameKeys);
}

// With few keys that have most of the weight, a rounded score of one of these would change what all others count.
TEST_P(SparqOn, CountsTheLargestWeightsExactly) {
  for (const KeyIndex index : {KeyIndex::kF16, KeyIndex::kInt8})
    for (const auto& params : {best_only(16, 64), by_magnitude(best_only(16, 64)), with_mean(12, 100, 25)})
      for (const int64_t n_kv_heads : {6, 2}) {
        Attention a = heads(6, n_kv_heads, 64);
        a.scale = 0.5f;
        expect_agrees(setup(a, floats(index), params, limits(2100)), {1024, 1088, 1500, 2000, 2100}, 5 * kSameKeys);
      }
}

TEST_P(SparqOn, AgreesForEveryTypeAndRotation) {
  for (const char* k : {"f32", "f16", "bf16", "q8_0", "q4_0"})
    for (const char* v : {"f32", "q4_0"})
      for (const KeyIndex index : kIndexes)
        for (const bool rotate : {true, false}) {
          const bool blocks = k[0] == 'q' || v[0] == 'q';
          if (rotate && !blocks) continue;
          const KvStorage s = storage(k, v, index, rotate);
          for (const SparqParams& params : {best_only(16, 48), with_mean(16, 48, 12)})
            expect_agrees(setup(heads(2, 2, 48), s, params, limits(1300)), {500, 1030, 1100, 1150, 1300},
                          blocks ? kNearTiesMayDiffer : limit_of(params, index));
        }
}

TEST_P(SparqOn, AgreesForKeysByDimensions) {
  for (const KeyIndex index : kIndexes)
    for (const char* type : {"f32", "f16", "bf16"})
      for (const SparqParams& params : {best_only(16, 48), with_mean(16, 100, 25)}) {
        const KvStorage s = by_dims(storage(type, type, index));
        expect_agrees(setup(heads(3, 3, 48), s, params, limits(1300)), {100, 1023, 1030, 1088, 1150, 1300},
                      limit_of(params, index));
        expect_agrees(setup(heads(6, 2, 80), s, params, limits(1300)), {100, 1030, 1300}, kOneTieMayDiffer);
      }
}

TEST_P(SparqOn, AttendsToTheBestPages) {
  const SparqParams params = by_pages(KeySelection::kPages, 0, 300, 70);
  for (const KvStorage& s : {floats(), by_dims(floats()), floats(KeyIndex::kInt8)})
    for (const int64_t n_kv_heads : {6, 2, 1})
      expect_agrees(setup(heads(6, n_kv_heads, 32), with_bounds(s), params, limits(1600)),
                    {200, 320, 383, 384, 385, 1024, 1100, 1600}, kSameKeys);
  expect_agrees(setup(heads(2, 2, 48), with_bounds(storage("q8_0", "q4_0", KeyIndex::kNone)), params, limits(1300)),
                {400, 1000, 1300}, kNearTiesMayDiffer);
}

TEST_P(SparqOn, AttendsToTheBestPagesOfAWindowAndBehindWhatWasDropped) {
  const SparqParams params = by_pages(KeySelection::kPages, 0, 200, 20);
  for (const int64_t sinks : {0, 4, 70, 130}) {
    Attention a = heads(4, 2, 32);
    a.window = {700};
    expect_agrees(setup(a, with_bounds(floats()), params, limits(1500, 1, sinks)), {300, 700, 770, 1100, 1400}, kSameKeys);
  }
  for (const int64_t keep : {0, 1, 70, 130}) {
    Attention a = heads(2, 2, 32);
    a.alibi_max_bias = 1;
    a.softcap = 5;
    a.kept_queries = true;
    expect_agrees_behind_drops(setup(a, with_bounds(floats()), params, limits(1400)), keep, kSameKeys);
  }
}

TEST_P(SparqOn, ScoresTheKeysOfTheBestPages) {
  for (const KeyIndex index : kIndexes)
    for (const int64_t n_kv_heads : {6, 2})
      for (const int64_t sinks : {0, 70}) {
        Attention a = heads(6, n_kv_heads, 64);
        a.window = {sinks ? 1300 : 0};
        expect_agrees(
            setup(a, with_bounds(floats(index)), by_pages(KeySelection::kPagesThenSparq, 16, 100), limits(2100, 1, sinks)),
            {200, 1024, 1088, 1500, 2000, 2100}, kNearlySameKeys);
      }
}

// Keys that vary evenly have flat softmaxes, which ask for more keys; sharp ones, whose few components say nothing of the
// rest, are read as a whole.
TEST_P(SparqOn, KeepsAsManyKeysAsALossAllows) {
  for (const KeyIndex index : kIndexes)
    for (const int64_t n_kv_heads : {6, 2})
      for (const float scale : {0.1f, 0.5f}) {
        Attention a = heads(6, n_kv_heads, 64);
        a.scale = scale;
        expect_agrees(setup(a, floats(index), for_loss(0.02), limits(2100)), {1024, 1500, 2100},
                      index == KeyIndex::kNone ? kNearlySameKeys : kOneTieMayDiffer);
      }
}

TEST_P(SparqOn, AgreesForWindowsOverKeysByDimensions) {
  for (const KeyIndex index : kIndexes)
    for (const int64_t sinks : {0, 70}) {
      Attention a = heads(2, 2, 32);
      a.window = {1100};
      const SparqParams params = with_mean(8, 24, 6);
      expect_agrees(setup(a, by_dims(floats(index)), params, limits(1500, 1, sinks)), {60, 200, 1100, 1250, 1400},
                    limit_of(params, index));
    }
}

TEST_P(SparqOn, AgreesForWindows) {
  for (const KeyIndex index : kIndexes)
    for (const KeyWindow window : {KeyWindow{50}, {100}, {1100}, {100, 100}, {1200, 1200}})
      for (const int64_t sinks : {0, 4, 70}) {
        Attention a = heads(2, 2, 32);
        a.window = window;
        for (const SparqParams& params : {best_only(8, 24, 6), by_magnitude(with_mean(8, 24, 6)), with_mean(8, 24, 6)})
          expect_agrees(setup(a, floats(index), params, limits(1500, 1, sinks)),
                        {30, 60, 71, 90, 130, 200, 1024, 1100, 1250, 1400}, limit_of(params, index));
      }
}

TEST_P(SparqOn, AgreesForEveryChangeOfScores) {
  for (const KeyIndex index : kIndexes)
    for (const float alibi : {0.0f, 8.0f})
      for (const float softcap : {0.0f, 2.0f}) {
        Attention a = heads(3, 3, 32);
        a.alibi_max_bias = alibi;
        a.softcap = softcap;
        a.sink_logits = true;
        for (const SparqParams& params : {best_only(8, 24, 6), by_magnitude(with_mean(8, 24, 6)), with_mean(8, 24, 6)})
          expect_agrees(setup(a, floats(index), params, limits(1300)), {100, 1050, 1300}, limit_of(params, index));
      }
}

TEST_P(SparqOn, AgreesAfterKeysWereDropped) {
  for (const KeyIndex index : kIndexes)
    for (const KvStorage& s : {floats(index), by_dims(floats(index))})
      for (const int64_t keep : {0, 1, 70})
        for (const SparqParams& params : {best_only(8, 24, 6), by_magnitude(with_mean(8, 24, 6)), with_mean(8, 24, 6)}) {
          Attention a = heads(2, 2, 32);
          a.alibi_max_bias = 1;
          a.kept_queries = true;
          expect_agrees_behind_drops(setup(a, s, params, limits(1400)), keep, limit_of(params, index));
        }
}

// A window and the kept keys may together be more than a sequence without a window may have.
TEST_P(SparqOn, HasRoomForAWindowBesideItsSinks) {
  Attention a = heads(2, 2, 32);
  a.window = {990};
  const AttentionSetup one = setup(a, floats(), best_only(8, 24), limits(1000, 1, 500));
  AttentionBench bench(one, 1700);
  bench.append(0, 900);
  for (int64_t i = 0; i < 2; ++i) {
    bench.drop(0, 0, 400);
    bench.append(0, 390);
  }
  bench.sparse_step({{0, 1}});
  expect_rows(bench, one, 0, 1680, kSameKeys);
}

// Dense and sparse sequences in one step, with one row or several.
TEST_P(SparqOn, AgreesForSeveralSequencesAndRows) {
  for (const KeyIndex index : kIndexes)
    for (const SparqParams& params : {best_only(8, 24, 6), by_magnitude(with_mean(8, 24, 6)), with_mean(8, 24, 6)}) {
      const AttentionSetup three = setup(heads(2, 2, 32), floats(index), params, limits(1300, 3), 2);
      AttentionBench bench(three, 1300);
      bench.append(0, 1020);
      bench.append(1, 100);
      bench.append(2, 1200);
      for (const std::vector<AttentionBench::Share>& step :
           std::vector<std::vector<AttentionBench::Share>>{{{0, 3}, {1, 1}}, {{2, 9}, {0, 1}, {1, 5}}, {{1, 70}, {2, 2}}})
        bench.sparse_step(step);
      expect_rows(bench, three, 0, 1020, limit_of(params, index));
      expect_rows(bench, three, 1, 100, limit_of(params, index));
      expect_rows(bench, three, 2, 1200, limit_of(params, index));
    }
}

TEST_P(SparqOn, IsDenseWhereAllKeysAreKept) {
  for (const KeyIndex index : kIndexes)
    for (const auto& [k1, k2] : {std::pair{64, 1200}, {1, 5000}, {0, 24}, {8, 0}}) {
      SparqParams params = best_only(k1, k2);
      const KvLimits l = limits(1200);
      AttentionSetup one = setup(heads(4, 2, 64), floats(index), params, l, 3);
      one.sparq.ratio = 0;
      AttentionBench bench(one, 1200), dense(one, 1200);
      for (AttentionBench* b : {&bench, &dense}) b->append(0, 1150);
      bench.sparse_step({{0, 1}});
      dense.step({{0, 1}});
      EXPECT_TRUE(test::close_to(bench.out(0, 1150), dense.out(0, 1150), 1e-5)) << text(one);
    }
}

// All components and all keys but the worst one, which weighs nothing to speak of.
TEST_P(SparqOn, IsNearlyDenseWhereAllComponentsScore) {
  Attention a = heads(2, 2, 64);
  a.scale = 1;  // few keys have all the weight
  const AttentionSetup one = setup(a, floats(), best_only(64, 600), limits(700));
  AttentionBench bench(one, 700), dense(one, 700);
  for (AttentionBench* b : {&bench, &dense}) b->append(0, 699);
  bench.sparse_step({{0, 1}});
  dense.step({{0, 1}});
  EXPECT_TRUE(test::close_to(bench.out(0, 699), dense.out(0, 699), 1e-5)) << text(one);
}

// fn(setup) for caches and shapes that between them take every path.
template <class Fn>
void for_some(const AttentionSetup& base, Fn fn) {
  for (const KeyIndex index : kIndexes)
    for (const KvStorage& s : {floats(index), by_dims(floats(index)), storage("q4_0", "q4_0", index)})
      for (const int64_t n_heads : {2, 6}) {
        AttentionSetup one = base;
        one.a = heads(n_heads, 2, 32);
        one.storage = s;
        one.sparq = with_mean(8, 40, 10);
        fn(one);
      }
  for (const KvStorage& s : {floats(KeyIndex::kInt8), storage("q8_0", "q4_0", KeyIndex::kInt8)})
    for (const SparqParams& params :
         {for_loss(0.02), by_pages(KeySelection::kPages, 0, 200, 10), by_pages(KeySelection::kPagesThenSparq, 8, 40, 10)}) {
      AttentionSetup one = base;
      one.a = heads(6, 2, 32);
      one.storage = with_bounds(s);
      one.sparq = params;
      fn(one);
    }
}

TEST_P(SparqOn, DoesNotDependOnThreadsOrNeighbours) {
  for_some(setup({}, {}, {}, limits(1300, 3)), [](AttentionSetup s) {
    AttentionBench alone(s, 1300);
    alone.append(0, 1100);
    for (int i = 0; i < 3; ++i) alone.sparse_step({{0, 1}});
    for (const int threads : {1, 3, 4}) {
      s.threads = threads;
      AttentionBench among(s, 1300);
      among.append(0, 1100);
      among.append(2, 70);
      for (const int64_t others : {1, 20, 3}) among.sparse_step({{1, others}, {0, 1}, {2, 1}});
      EXPECT_TRUE(test::same_bits(among.out(0, 1100), alone.out(0, 1100))) << text(s);
    }
  });
}

// Fewer heads than threads: these share a row's keys, also of a few rows that are generated together.
TEST_P(SparqOn, DoesNotDependOnHowManyThreadsShareARow) {
  struct Case {
    int64_t n_heads, n_kv_heads, keys;  // so many that sharing is worth it, after some were dropped
    KvStorage storage;
  };
  for (const Case& c : {Case{8, 1, 8300, floats(KeyIndex::kInt8)}, Case{20, 1, 8200, by_dims(floats())},
                        Case{6, 3, 9000, storage("q8_0", "q4_0", KeyIndex::kF16)},
                        Case{1, 1, 9500, storage("f16", "f16", KeyIndex::kInt8)}}) {
    AttentionSetup one =
        setup(heads(c.n_heads, c.n_kv_heads, 32), c.storage, with_mean(8, 600, 100), limits(c.keys + 200, 1, 100));
    one.a.alibi_max_bias = c.n_heads == 6 ? 8 : 0;
    std::vector<float> alone;
    for (const int threads : {1, 2, 4}) {
      one.threads = threads;
      AttentionBench bench(one, c.keys + 500);
      bench.append(0, c.keys);
      bench.drop(0, 100, 70);
      bench.append(0, 150);
      for (const int64_t rows : {1, 2}) bench.sparse_step({{0, rows}});
      const std::span<const float> got = bench.out(0, c.keys + 150);
      if (alone.empty()) alone.assign(got.begin(), got.end());
      EXPECT_TRUE(test::same_bits(got, alone)) << text(one);
    }
  }
}

// From 2030 keys on, a step goes beyond the end of the index's first run.
TEST_P(SparqOn, DoesNotDependOnHowRowsAreCutIntoSteps) {
  for_some(setup({}, {}, {}, limits(4095)), [](const AttentionSetup& s) {
    for (const int64_t length : {100, 2030}) {
      AttentionBench single(s, 4095), many(s, 4095);
      for (AttentionBench* b : {&single, &many}) b->append(0, length);
      for (int i = 0; i < 40; ++i) single.sparse_step({{0, 1}});
      for (const int64_t rows : {1, 25, 3, 11}) many.sparse_step({{0, rows}});
      EXPECT_TRUE(test::same_bits(many.out(0, length), single.out(0, length))) << text(s) << ", " << length;
    }
  });
}

TEST_P(SparqOn, ForgetsKeysThatWereTakenBack) {
  for_some(setup({}, {}, {}, limits(1300)), [](const AttentionSetup& s) {
    for (const auto& [length, extra] : {std::pair<int64_t, int64_t>{1087, 1}, {1030, 90}}) {
      AttentionBench never(s, 1300), back(s, 1300);
      never.skip_rows(0, length, extra);
      for (AttentionBench* b : {&never, &back}) b->append(0, length);
      back.append(0, extra);
      back.truncate(0, length);
      back.skip_rows(0, length, extra);
      for (AttentionBench* b : {&never, &back}) {
        b->append(0, 70);
        b->sparse_step({{0, 1}});
      }
      EXPECT_TRUE(test::same_bits(back.out(0, length + 70), never.out(0, length + 70)))
          << text(s) << ", " << extra << " keys behind " << length;
    }
  });
}

TEST_P(SparqOn, ForgetsKeysThatWereTakenBackAfterOthersWereDropped) {
  for (const int64_t keep : {0, 70}) {
    const AttentionSetup one = setup(heads(2, 2, 32), floats(), with_mean(4, 8, 2), limits(1000));
    AttentionBench bench(one, 1000);
    bench.append(0, 900);
    bench.drop(0, keep, 340);
    bench.append(0, 20);
    bench.truncate(0, 910);
    bench.sparse_step({{0, 1}});
    expect_rows(bench, one, 0, 910, kSameKeys, Mean::kOfVisible);
  }
}

// A sequence's memo of its keys changes no bit, whatever became of the sequence.
TEST_P(SparqOn, TheSpreadIsThatOfTheCachedKeys) {
  for_some(setup({}, {}, {}, limits(1300)), [](AttentionSetup s) {
    AttentionBench with(s, 1500);
    s.storage.key_sums = false;
    AttentionBench without(s, 1500);
    for (AttentionBench* b : {&with, &without}) {
      b->append(0, 1000);
      b->sparse_step({{0, 1}});
      b->append(0, 60);
      for (const int64_t rows : {1, 70, 3}) b->sparse_step({{0, rows}});
      b->truncate(0, 1020);
      b->append(0, 110);
      b->sparse_step({{0, 2}});
      b->drop(0, 70, 100);
      b->sparse_step({{0, 1}});
      b->drop(0, 70, 10);
      for (const int64_t rows : {40, 1}) b->sparse_step({{0, rows}});
    }
    EXPECT_NE(with.sequence(0).kv->view(0).key_sums, nullptr);
    EXPECT_EQ(without.sequence(0).kv->view(0).key_sums, nullptr);
    EXPECT_TRUE(test::same_bits(with.out(0, 1000), without.out(0, 1000))) << text(s);
  });
}

INSTANTIATE_TEST_SUITE_P(All, SparqOn, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
