// Attention on the CPU: agrees with its definition for every type, layout, shape and mask. A row's bits do not depend on
// threads, neighbours, or (floats) on the layout and on how the prompt is cut.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "kernels/api/tier.h"
#include "tests/backend/attention_bench.h"
#include "tests/backend/attention_reference.h"
#include "tests/support/close_to.h"
#include "tests/support/tiers.h"

namespace skald {
namespace {

using test::AttentionBench;
using test::AttentionSetup;
using Shares = std::vector<AttentionBench::Share>;

constexpr const char* kTypes[] = {"f32", "f16", "bf16", "q8_0", "q4_0"};
constexpr const char* kKeyTypes[] = {"f32", "f16", "bf16", "q8_0", "q4_0", "kc8", "kc4"};

bool has_blocks(const std::string& type) { return type.starts_with("q"); }

Attention heads(int64_t n_heads, int64_t n_kv_heads, int64_t d_k, int64_t d_v) {
  return {.n_heads = n_heads,
          .n_kv_heads = n_kv_heads,
          .d_k = d_k,
          .d_v = d_v,
          .scale = 1.0f / std::sqrt(static_cast<float>(d_k))};
}

std::string text(const AttentionSetup& s) {
  return fmt::format("{}, K {} {}, V {}, {}; {}, {} sinks, {} threads", s.tier, s.storage.k_type, s.storage.layout,
                     s.storage.v_type, s.storage.rotate ? "rotated" : "plain", s.a.describe(), s.limits.sinks, s.threads);
}

// Scores are sums of about 1; rotated queries are rounded to 8 bits after the rotation, which moves them by half a percent.
// Prompts meet all but f32 by products of 16 bits where there are such: of values of a few units, these keep 13 bits
// below the largest of a row. Some tiers round the weights of values of integers to 15 bits.
double limit_of(const AttentionSetup& s, bool generated) {
  if (has_blocks(s.storage.k_type) && s.storage.rotate) return 0.06;
  const bool of_codes =
      build_kernel_table(s.tier).prefill_act == ActFormat::kQ16 && s.storage.k_type != "f32" && s.storage.v_type != "f32";
  if (of_codes && !generated) return 1.2e-3;
  return has_blocks(s.storage.v_type) ? 2e-4 : 4e-5;
}

void expect_close(const AttentionBench& bench, const AttentionSetup& setup, size_t sequence, int64_t from = 0) {
  const bool int8_queries = has_blocks(setup.storage.k_type) && !setup.storage.rotate;
  const test::AttentionReference reference(bench, sequence, int8_queries);
  const std::vector<float> want = reference.rows(from, bench.sequence(sequence).kv->length());
  const std::span<const float> got = bench.out(sequence, from);
  const std::vector<char>& generated = bench.sequence(sequence).generated;
  ASSERT_EQ(got.size(), want.size());
  const size_t cols = want.size() / (generated.size() - static_cast<size_t>(from));
  for (size_t at = 0, row = static_cast<size_t>(from); row < generated.size(); ++row, at += cols)
    EXPECT_TRUE(test::close_to(got.subspan(at, cols), std::span(want).subspan(at, cols), limit_of(setup, generated[row])))
        << text(setup) << "; sequence " << sequence << ", row " << row;
}

// Prompts in chunks, decode rows of several sequences, and both in one step; across pages.
void run_mix(AttentionBench& bench) {
  const std::vector<Shares> steps = {
      {{0, 64}},         {{1, 3}, {0, 1}}, {{0, 1}, {1, 17}, {2, 70}}, {{2, 1}, {1, 1}, {0, 1}},
      {{0, 5}, {2, 50}}, {{1, 1}, {0, 2}}, {{2, 9}, {1, 40}, {0, 3}},  {{0, 1}, {1, 1}, {2, 1}}};
  for (const Shares& step : steps) bench.step(step);
}

void expect_mix_close(const AttentionSetup& setup) {
  AttentionBench bench(setup, 200);
  run_mix(bench);
  for (size_t i = 0; i < bench.n_sequences(); ++i) expect_close(bench, setup, i);
}

KvLimits three_sequences() { return {.max_keys = 200, .max_rows = 70, .n_sequences = 3}; }

/// fn(storage) for every type of keys and values, layout and rotation that there is.
template <class Fn>
void for_storages(Fn fn) {
  for (const std::string k : kKeyTypes)
    for (const std::string v : kTypes)
      for (const std::string layout : {"rows", "dims"})
        for (const bool rotate : {true, false}) {
          if (has_blocks(k) && layout == "dims") continue;
          if (rotate && !has_blocks(k) && !has_blocks(v)) continue;
          fn(KvStorage{.k_type = k, .v_type = v, .layout = layout, .rotate = rotate});
        }
}

class AttentionOn : public testing::TestWithParam<const Tier*> {
 protected:
  void SetUp() override {
    if (!GetParam()->supported()) GTEST_SKIP() << "this CPU lacks " << GetParam()->name;
  }
  AttentionSetup setup(const Attention& a, const KvStorage& storage, KvLimits limits, int threads = 1) const {
    return {.tier = GetParam()->name, .threads = threads, .a = a, .storage = storage, .limits = limits};
  }
};

TEST_P(AttentionOn, AgreesForEveryTypeAndLayout) {
  for_storages([&](const KvStorage& s) { expect_mix_close(setup(heads(4, 2, 32, 64), s, three_sequences(), 2)); });
}

// The storages that between them use every kernel.
std::vector<KvStorage> some_storages() {
  return {{.k_type = "f16", .v_type = "f16"},   {.k_type = "bf16", .v_type = "q8_0", .layout = "rows"},
          {.k_type = "q8_0", .v_type = "q8_0"}, {.k_type = "q4_0", .v_type = "q4_0", .rotate = false},
          {.k_type = "kc8", .v_type = "q8_0"},  {.k_type = "kc4", .v_type = "f16", .layout = "rows"}};
}

TEST_P(AttentionOn, AgreesForEveryHeadSize) {
  constexpr int64_t kSizes[] = {32, 64, 80, 96, 112, 128, 256};
  constexpr std::pair<int64_t, int64_t> kHeads[] = {{2, 2}, {6, 2}, {4, 2}, {8, 1}, {5, 1}, {3, 3}, {14, 2}};
  for (size_t i = 0; i < std::size(kSizes); ++i)
    for (const KvStorage& s : some_storages()) {
      const auto [n_heads, n_kv_heads] = kHeads[i];
      const int64_t d = kSizes[i], other = kSizes[(i + 2) % std::size(kSizes)];
      expect_mix_close(setup(heads(n_heads, n_kv_heads, d, d), s, three_sequences()));
      expect_mix_close(setup(heads(n_heads, n_kv_heads, d, other), s, three_sequences(), 3));
    }
}

TEST_P(AttentionOn, AgreesForEveryMask) {
  for (const KeyWindow window : {KeyWindow{}, {1}, {5}, {64}, {100}, {500}, {1, 1}, {7, 7}, {64, 64}, {100, 100}, {30, 50}})
    for (const int64_t sinks : {0, 4, 70}) {
      if (!window.size && sinks) continue;
      for (const KvStorage& s : some_storages()) {
        Attention a = heads(4, 2, 64, 64);
        a.window = window;
        KvLimits limits = three_sequences();
        limits.sinks = sinks;
        expect_mix_close(setup(a, s, limits, 2));
      }
    }
}

TEST_P(AttentionOn, AgreesForEveryChangeOfScores) {
  for (const int64_t n_heads : {4, 6, 12})
    for (const float alibi : {0.0f, 8.0f})
      for (const float softcap : {0.0f, 2.0f})
        for (const bool sink_logits : {false, true})
          for (const int64_t window : {0, 30}) {
            Attention a = heads(n_heads, 2, 32, 32);
            a.alibi_max_bias = alibi;
            a.softcap = softcap;
            a.sink_logits = sink_logits;
            a.window = {window};
            for (const KvStorage& s : n_heads == 4 ? some_storages() : std::vector{some_storages()[0]})
              expect_mix_close(setup(a, s, three_sequences(), 2));
          }
}

// Rows of a prefix see all of it: in blocks and, of a few rows, one by one; across pages; beside others.
TEST_P(AttentionOn, AgreesWithinAPrefixAndAfterIt) {
  for (const KvStorage& s : some_storages())
    for (const bool sink_logits : {false, true}) {
      Attention a = heads(4, 2, 64, 32);
      a.softcap = 3;
      a.sink_logits = sink_logits;
      const AttentionSetup three = setup(a, s, three_sequences(), 2);
      AttentionBench bench(three, 200);
      bench.set_prefix(0, 64);
      bench.set_prefix(1, 3);
      bench.set_prefix(2, 130);
      for (const Shares& step :
           std::vector<Shares>{{{0, 70}}, {{1, 3}, {0, 1}}, {{2, 130}, {1, 9}}, {{0, 5}, {2, 3}, {1, 1}}, {{0, 1}, {2, 1}}})
        bench.step(step);
      for (size_t i = 0; i < bench.n_sequences(); ++i) expect_close(bench, three, i);
    }
}

// Beyond 1024 keys: several parts, merged.
TEST_P(AttentionOn, AgreesInLongPrefixes) {
  const AttentionSetup one = setup(heads(4, 2, 32, 32), {}, {.max_keys = 1400, .max_rows = 1400, .n_sequences = 1}, 2);
  AttentionBench bench(one, 1400);
  bench.set_prefix(0, 1300);
  for (const int64_t rows : {1301, 5, 1}) bench.step({{0, rows}});
  expect_close(bench, one, 0);
}

TEST_P(AttentionOn, AgreesInLongContexts) {
  for (const KeyWindow window : {KeyWindow{}, {1500}, {1250, 1250}})
    for (const KvStorage& s : some_storages()) {
      Attention a = heads(4, 2, 32, 32);
      a.window = window;
      a.alibi_max_bias = 1;
      const AttentionSetup one = setup(a, s, {.max_keys = 3000, .max_rows = 600, .n_sequences = 1, .sinks = 3}, 2);
      AttentionBench bench(one, 2800);
      bench.append(0, 2700);
      for (const int64_t rows : {1, 17, 2, 64, 1}) bench.step({{0, rows}});
      expect_close(bench, one, 0, 2700);
    }
}

// The first keys stay, met by queries of their own, and so does a page that both ends share.
TEST_P(AttentionOn, AgreesAfterKeysWereDropped) {
  for (const int64_t keep : {0, 1, 70})
    for (const KvStorage& s : some_storages()) {
      Attention a = heads(4, 2, 32, 32);
      a.alibi_max_bias = 4;
      a.kept_queries = true;
      const AttentionSetup one = setup(a, s, {.max_keys = 1400, .max_rows = 300, .n_sequences = 1}, 2);
      AttentionBench bench(one, 4000);
      bench.append(0, 1400);
      for (const int64_t n : {130, 64, 1, 600, 600}) {
        bench.drop(0, keep, n);
        bench.append(0, n - n / 3);
        const int64_t from = bench.sequence(0).kv->length();
        bench.step({{0, 1}});
        if (n / 3 > 2) bench.step({{0, n / 3 - 1}});
        expect_close(bench, one, 0, from);
      }
    }
}

// Keys that begin and end in the middle of parts, after a kept one: as many parts as there can be, on as many heads as are
// split.
TEST_P(AttentionOn, AgreesWithTheMostPartsThatThereCanBe) {
  Attention a = heads(7, 7, 32, 32);
  a.kept_queries = true;
  const AttentionSetup one = setup(a, {}, {.max_keys = 1027, .max_rows = 1026, .n_sequences = 1}, 2);
  AttentionBench bench(one, 2049);
  bench.append(0, 1026);
  bench.drop(0, 1, 1022);
  bench.append(0, 1022);
  bench.step({{0, 1}});
  expect_close(bench, one, 0, 2048);
}

TEST_P(AttentionOn, MeetsTheSinksOfAWindowWithTheirOwnQueries) {
  for (const KvStorage& s : some_storages()) {
    Attention a = heads(4, 2, 32, 32);
    a.window = {50};
    a.alibi_max_bias = 4;
    a.kept_queries = true;
    const AttentionSetup one = setup(a, s, {.max_keys = 300, .max_rows = 100, .n_sequences = 1, .sinks = 4}, 2);
    AttentionBench bench(one, 400);
    bench.append(0, 290);
    bench.drop(0, 0, 140);
    for (const int64_t rows : {1, 60, 1}) bench.step({{0, rows}});
    expect_close(bench, one, 0, 290);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionOn, testing::ValuesIn(tiers()), test::tier_name);

/// Runs a prompt of 1200 tokens in chunks of `chunk`, and returns the results of all of its rows.
std::vector<float> chunked(const AttentionSetup& setup, int64_t chunk) {
  AttentionBench bench(setup, 1200);
  for (int64_t done = 0; done < 1200; done += chunk) bench.prompt({{0, std::min(chunk, 1200 - done)}});
  const std::span<const float> out = bench.out(0);
  return {out.begin(), out.end()};
}

Attention everything() {
  Attention a = heads(3, 1, 32, 64);
  a.alibi_max_bias = 2;
  a.softcap = 3;
  a.sink_logits = true;
  return a;
}

class AttentionBits : public AttentionOn {};

TEST_P(AttentionBits, DoNotDependOnThreads) {
  for (const int64_t window : {0, 1100})
    for (const KvStorage& s : some_storages())
      for (const int64_t chunk : {1, 64}) {
        Attention a = everything();
        a.window = {window};
        const KvLimits limits{.max_keys = 1300, .max_rows = 64, .n_sequences = 1, .sinks = 5};
        std::vector<float> want;
        for (const int threads : {1, 2, 3, 4}) {
          AttentionSetup one = setup(a, s, limits, threads);
          AttentionBench bench(one, 1300);
          bench.append(0, 1200);
          for (int64_t done = 0; done < 64; done += chunk) bench.step({{0, chunk}});
          const std::vector<float> got(bench.out(0, 1200).begin(), bench.out(0, 1200).end());
          if (threads == 1) want = got;
          EXPECT_TRUE(test::same_bits(got, want)) << text(one) << ", chunks of " << chunk;
        }
      }
}

TEST_P(AttentionBits, DoNotDependOnNeighbours) {
  for_storages([&](const KvStorage& s) {
    const AttentionSetup three = setup(everything(), s, three_sequences(), 2);
    AttentionBench among(three, 200), alone(three, 200);
    among.step({{1, 9}, {0, 40}, {2, 1}});
    alone.step({{0, 40}});
    for (const int64_t rows : {1, 30, 2}) {
      among.step({{2, 1}, {0, rows}, {1, 20}});
      alone.step({{0, rows}});
    }
    EXPECT_TRUE(test::same_bits(among.out(0), alone.out(0))) << text(three);
  });
}

TEST_P(AttentionBits, DoNotDependOnHowThePromptIsCut) {
  const auto expect_same = [&](const KvStorage& s, KeyWindow window, std::initializer_list<int64_t> chunks) {
    Attention a = everything();
    a.window = window;
    const AttentionSetup one =
        setup(a, s, {.max_keys = 1200, .max_rows = 1200, .n_sequences = 1, .sinks = window.size ? 5 : 0}, 2);
    const std::vector<float> want = chunked(one, 1200);
    for (const int64_t chunk : chunks)
      EXPECT_TRUE(test::same_bits(chunked(one, chunk), want)) << text(one) << ", chunks of " << chunk;
  };
  const KvStorage f16{.k_type = "f16", .v_type = "f16"};
  for (const KeyWindow window : {KeyWindow{}, {90}, {1100}, {1100, 1100}}) expect_same(f16, window, {3, 17, 64, 200});
  for (const KvStorage& s : some_storages()) expect_same(s, {90}, {1, 64});
  for (const KvStorage& s : std::vector<KvStorage>{{.k_type = "f32", .v_type = "f32"},
                                                   {.k_type = "bf16", .v_type = "bf16"},
                                                   {.k_type = "f16", .v_type = "q8_0"},
                                                   {.k_type = "f16", .v_type = "q4_0", .rotate = false}})
    expect_same(s, {90}, {1, 3, 64});
}

// Some generated tokens of a sequence at once, as guesses are checked.
TEST_P(AttentionBits, OfGeneratedTokensDoNotDependOnHowManyThereAre) {
  for (const int64_t group : {1, 7})
    for (const KeyWindow window : {KeyWindow{}, {1100}, {90}})
      for (const std::string layout : {"dims", "rows"}) {
        Attention a = everything();
        a.n_heads = 2 * group;
        a.n_kv_heads = 2;
        a.window = window;
        const KvLimits limits{
            .max_keys = 2200, .max_rows = 64, .n_sequences = 1, .sinks = window.size ? 5 : 0, .rollback = 64};
        const KvStorage storage{.k_type = "f16", .v_type = "bf16", .layout = layout};
        const auto after = [&](int64_t rows, int threads) {
          AttentionBench bench(setup(a, storage, limits, threads), 2200);
          bench.append(0, 2040);
          for (int64_t done = 0; done < 36; done += rows) bench.generate({{0, rows}});
          return std::vector<float>(bench.out(0, 2040).begin(), bench.out(0, 2040).end());
        };
        const std::vector<float> want = after(1, 1);
        for (const int64_t rows : {2, 4, 9, 18})
          for (const int threads : {1, 3})
            EXPECT_TRUE(test::same_bits(after(rows, threads), want))
                << layout << ", groups of " << group << ", window " << window.size << ", " << rows << " rows, " << threads
                << " threads";
      }
}

TEST_P(AttentionBits, OfFloatsDoNotDependOnTheLayout) {
  for (const std::string type : {"f32", "f16", "bf16"})
    for (const int64_t d : {64, 80, 12}) {
      std::vector<float> want;
      for (const std::string layout : {"dims", "rows"}) {
        AttentionBench bench(
            setup(heads(8, 2, d, d), {.k_type = type, .v_type = type, .layout = layout}, three_sequences(), 2), 200);
        run_mix(bench);
        const std::vector<float> got(bench.out(2).begin(), bench.out(2).end());
        if (want.empty()) want = got;
        EXPECT_TRUE(test::same_bits(got, want)) << type << ", heads of " << d;
      }
    }
}

TEST_P(AttentionBits, OfFloatsDoNotDependOnWhetherTokensAreGenerated) {
  const AttentionSetup one = setup(everything(), {.k_type = "f32", .v_type = "f32"}, three_sequences(), 2);
  AttentionBench prompt(one, 150), generated(one, 150);
  prompt.prompt({{0, 150}});
  for (int64_t i = 0; i < 150; ++i) generated.step({{0, 1}});
  EXPECT_TRUE(test::same_bits(generated.out(0), prompt.out(0)));
}

INSTANTIATE_TEST_SUITE_P(All, AttentionBits, testing::ValuesIn(tiers()), test::tier_name);

// Decoded cache rows against the appended ones: the type's rounding, in the length of a row.
TEST(KvAppend, StoresKeysAndValuesWithinTheirTypesRounding) {
  const std::map<std::string, double> roundings = {
      {"f32", 0},     {"f16", 0x1p-11}, {"bf16", 0x1p-8}, {"q8_0", 0.01},
      {"q4_0", 0.15}, {"kc8", 0x1p-11}, {"kc4", 0x1p-11}};  // the last two as they came
  for_storages([&](const KvStorage& s) {
    const AttentionSetup three{.a = heads(4, 2, 80, 112), .storage = s, .limits = three_sequences()};
    AttentionBench bench(three, 200);
    run_mix(bench);
    const auto expect_near = [&](const std::vector<double>& got, const std::vector<float>& want, int64_t d, double limit) {
      for (size_t at = 0; at < got.size(); at += static_cast<size_t>(d)) {
        double error = 0, length = 0;
        for (size_t i = at; i < at + static_cast<size_t>(d); ++i) {
          error += std::pow(got[i] - static_cast<double>(want[i]), 2);
          length += std::pow(static_cast<double>(want[i]), 2);
        }
        ASSERT_LE(std::sqrt(error), limit * std::sqrt(length)) << text(three) << ", at " << at;
      }
    };
    for (size_t i = 0; i < bench.n_sequences(); ++i) {
      const test::BenchSequence& one = bench.sequence(i);
      expect_near(one.cached.k, one.k, 80, roundings.at(s.k_type));
      expect_near(one.cached.v, one.v, 112, roundings.at(s.v_type));
    }
  });
}

}  // namespace
}  // namespace skald
