// The bits of a row of sparse decoding do not depend on threads, neighbours, steps, or keys that were taken back.
#include "tests/backend/sparq_cases.h"

namespace skald::sparq_bits_test {
namespace {

using namespace sparq_test;

class SparqBitsOn : public SparqOn {};

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
  for (const KvStorage& s : {floats(KeyIndex::kInt8), storage("q8_0", "q4_0", KeyIndex::kInt4)})
    for (const SparqParams& params :
         {for_loss(0.02), by_pages(KeySelection::kPages, 0, 200, 10), by_pages(KeySelection::kPagesThenSparq, 8, 40, 10)}) {
      AttentionSetup one = base;
      one.a = heads(6, 2, 32);
      one.storage = with_bounds(s);
      one.sparq = params;
      fn(one);
    }
}

TEST_P(SparqBitsOn, DoesNotDependOnThreadsOrNeighbours) {
  for_some(setup({}, {}, {}, limits(1300, 3)), [](AttentionSetup s) {
    AttentionBench alone(s, 1300);
    alone.append(0, 1100);
    for (int i = 0; i < 3; ++i) alone.generate({{0, 1}});
    for (const int threads : {1, 3, 4}) {
      s.threads = threads;
      AttentionBench among(s, 1300);
      among.append(0, 1100);
      among.append(2, 70);
      for (const int64_t others : {1, 20, 3}) among.generate({{1, others}, {0, 1}, {2, 1}});
      EXPECT_TRUE(test::same_bits(among.out(0, 1100), alone.out(0, 1100))) << text(s);
    }
  });
}

// Fewer heads than threads: these share a row's keys, also of a few rows that are generated together.
TEST_P(SparqBitsOn, DoesNotDependOnHowManyThreadsShareARow) {
  struct Case {
    int64_t n_heads, n_kv_heads, keys;  // enough that sharing is worth it, after some were dropped
    KvStorage storage;
  };
  for (const Case& c : {Case{8, 1, 8300, floats(KeyIndex::kInt8)}, Case{20, 1, 8200, by_dims(floats())},
                        Case{6, 3, 9000, storage("q8_0", "q4_0", KeyIndex::kF16)},
                        Case{1, 1, 9500, storage("f16", "f16", KeyIndex::kInt4)}}) {
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
      for (const int64_t rows : {1, 2}) bench.generate({{0, rows}});
      const std::span<const float> got = bench.out(0, c.keys + 150);
      if (alone.empty()) alone.assign(got.begin(), got.end());
      EXPECT_TRUE(test::same_bits(got, alone)) << text(one);
    }
  }
}

// From 2030 keys on, a step goes beyond the end of the index's first run.
TEST_P(SparqBitsOn, DoesNotDependOnHowRowsAreCutIntoSteps) {
  for_some(setup({}, {}, {}, limits(4095)), [](const AttentionSetup& s) {
    for (const int64_t length : {100, 2030}) {
      AttentionBench single(s, 4095), many(s, 4095);
      for (AttentionBench* b : {&single, &many}) b->append(0, length);
      for (int i = 0; i < 40; ++i) single.generate({{0, 1}});
      for (const int64_t rows : {1, 25, 3, 11}) many.generate({{0, rows}});
      EXPECT_TRUE(test::same_bits(many.out(0, length), single.out(0, length))) << text(s) << ", " << length;
    }
  });
}

TEST_P(SparqBitsOn, ForgetsKeysThatWereTakenBack) {
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
        b->generate({{0, 1}});
      }
      EXPECT_TRUE(test::same_bits(back.out(0, length + 70), never.out(0, length + 70)))
          << text(s) << ", " << extra << " keys after " << length;
    }
  });
}

TEST_P(SparqBitsOn, ForgetsKeysThatWereTakenBackAfterOthersWereDropped) {
  for (const int64_t keep : {0, 70}) {
    const AttentionSetup one = setup(heads(2, 2, 32), floats(), with_mean(4, 8, 2), limits(1000));
    AttentionBench bench(one, 1000);
    bench.append(0, 900);
    bench.drop(0, keep, 340);
    bench.append(0, 20);
    bench.truncate(0, 910);
    bench.generate({{0, 1}});
    expect_rows(bench, one, 0, 910, kSameKeys, MeanRule::kOfVisible);
  }
}

// A sequence's memo of its keys changes no bit, in any state of the sequence.
TEST_P(SparqBitsOn, TheSpreadIsThatOfTheCachedKeys) {
  for_some(setup({}, {}, {}, limits(1300)), [](AttentionSetup s) {
    AttentionBench with(s, 1500);
    s.storage.key_sums = false;
    AttentionBench without(s, 1500);
    for (AttentionBench* b : {&with, &without}) {
      b->append(0, 1000);
      b->generate({{0, 1}});
      b->append(0, 60);
      for (const int64_t rows : {1, 70, 3}) b->generate({{0, rows}});
      b->truncate(0, 1020);
      b->append(0, 110);
      b->generate({{0, 2}});
      b->drop(0, 70, 100);
      b->generate({{0, 1}});
      b->drop(0, 70, 10);
      for (const int64_t rows : {40, 1}) b->generate({{0, rows}});
    }
    EXPECT_NE(with.sequence(0).kv->view(0).key_sums, nullptr);
    EXPECT_EQ(without.sequence(0).kv->view(0).key_sums, nullptr);
    EXPECT_TRUE(test::same_bits(with.out(0, 1000), without.out(0, 1000))) << text(s);
  });
}

INSTANTIATE_TEST_SUITE_P(All, SparqBitsOn, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald::sparq_bits_test
