// Sparse decoding on the CPU agrees with its definition for every shape, cache and mask, and is dense where it keeps all
// keys.
#include "tests/backend/sparq_cases.h"

namespace skald::sparq_test {
namespace {

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
                      {40, 100, 1100, 1152, 1400},
                      local == 32       ? kSameKeys
                      : n_kv_heads == 4 ? limit_of(index)
                                        : kNearTiesMayDiffer);
}

TEST_P(SparqOn, ChoosesTheSameKeysWithAnIndex) {
  for (const KeyIndex index : {KeyIndex::kF16, KeyIndex::kInt8})
    for (const char* type : {"f32", "f16", "bf16"})
      for (const auto& params : {best_only(16, 64), by_magnitude(best_only(16, 64)), with_mean(12, 100, 25)})
        expect_agrees(setup(heads(2, 2, 64), storage(type, type, index), params, limits(5000)),
                      {1000, 1023, 1024, 1087, 1088, 2000, 2047, 2048, 2049, 3100, 5000}, limit_of(index));
}

TEST_P(SparqOn, ChoosesNearlyTheSameKeysForGroups) {
  for (const KeyIndex index : {KeyIndex::kF16, KeyIndex::kInt8})
    for (const auto& params : {best_only(16, 64), by_magnitude(best_only(16, 64)), with_mean(12, 100, 25)})
      for (const int64_t n_kv_heads : {2, 1})
        expect_agrees(setup(heads(6, n_kv_heads, 64), floats(index), params, limits(3100)),
                      {1024, 1087, 1088, 1500, 2000, 2049, 2100, 3100}, kNearlySameKeys);
}

TEST_P(SparqOn, AgreesWhereFewKeysHaveMostOfTheWeight) {
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
                          blocks ? kNearTiesMayDiffer : limit_of(index));
        }
}

TEST_P(SparqOn, AgreesForKeysByDimensions) {
  for (const KeyIndex index : kIndexes)
    for (const char* type : {"f32", "f16", "bf16"})
      for (const SparqParams& params : {best_only(16, 48), with_mean(16, 100, 25)}) {
        const KvStorage s = by_dims(storage(type, type, index));
        expect_agrees(setup(heads(3, 3, 48), s, params, limits(1300)), {100, 1023, 1030, 1088, 1150, 1300}, limit_of(index));
        expect_agrees(setup(heads(6, 2, 80), s, params, limits(1300)), {100, 1030, 1300}, kOneTieMayDiffer);
      }
}

// Chosen keys are met by their codes, and those of the row's own page as they came.
TEST_P(SparqOn, AgreesForKeysInCodes) {
  for (const char* type : {"kc8", "kc4"})
    for (const KeyIndex index : kIndexes)
      for (const SparqParams& params : {best_only(16, 48), with_mean(16, 100, 25)}) {
        if (index == KeyIndex::kInt8 && type == std::string("kc4")) continue;
        const KvStorage s = storage(type, "f32", index);
        for (const KvStorage& each : {s, by_dims(s)})
          expect_agrees(setup(heads(6, 2, 80), each, params, limits(1300)), {100, 1023, 1030, 1088, 1150, 1300},
                        kNearTiesMayDiffer);
      }
}

TEST_P(SparqOn, AgreesForAnIndexOfFourBits) {
  for (const char* type : {"f32", "f16"}) {
    const KvStorage s = storage(type, type, KeyIndex::kInt4);
    for (const SparqParams& params : {best_only(16, 1060), best_only(24, 300), with_mean(48, 400, 20)})
      expect_agrees(setup(heads(6, 2, 48), s, params, limits(2100)), {1030, 1150, 2100}, limit_of(KeyIndex::kInt4));
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

TEST_P(SparqOn, AttendsToTheBestPagesOfAWindowAndAfterWhatWasDropped) {
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
            {200, 1024, 1088, 1500, 2000, 2100}, std::max(limit_of(index), kNearlySameKeys));
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
                    limit_of(index));
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
                        {30, 60, 71, 90, 130, 200, 1024, 1100, 1250, 1400}, limit_of(index));
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
          expect_agrees(setup(a, floats(index), params, limits(1300)), {100, 1050, 1300}, limit_of(index));
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
          expect_agrees_behind_drops(setup(a, s, params, limits(1400)), keep, limit_of(index));
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
  bench.generate({{0, 1}});
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
        bench.generate(step);
      expect_rows(bench, three, 0, 1020, limit_of(index));
      expect_rows(bench, three, 1, 100, limit_of(index));
      expect_rows(bench, three, 2, 1200, limit_of(index));
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
      bench.generate({{0, 1}});
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
  bench.generate({{0, 1}});
  dense.step({{0, 1}});
  EXPECT_TRUE(test::close_to(bench.out(0, 699), dense.out(0, 699), 1e-5)) << text(one);
}

INSTANTIATE_TEST_SUITE_P(All, SparqOn, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald::sparq_test
