// Sizes of static caches: the formula by its letter, what odd shapes round to, and what is refused.
#include "kv/static_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/support/errors.h"

namespace skald {
namespace {

constexpr StaticReserve kBoth[] = {StaticReserve::kDouble, StaticReserve::kOneAndHalf};

StaticKvSpec spec_of(int64_t layers, int64_t heads, int64_t d, int64_t context, int64_t element_bytes,
                     StaticReserve reserve) {
  return {.layers = std::vector<AttentionState>(static_cast<size_t>(layers), {.n_kv_heads = heads, .d_k = d, .d_v = d}),
          .context = context,
          .element_bytes = element_bytes,
          .reserve = reserve};
}

TEST(StaticKvSize, OfA7BModelIsWhatTheFormulaSays) {
  EXPECT_EQ(static_kv_size(spec_of(32, 32, 128, 2048, 2, StaticReserve::kDouble)).bytes, 2'146'435'072);
  EXPECT_EQ(static_kv_size(spec_of(32, 32, 128, 2048, 2, StaticReserve::kOneAndHalf)).bytes, 1'609'826'304);
}

TEST(StaticKvSize, IsTheFormulaForEveryShapeThatItFits) {
  for (int64_t context : {3, 4, 5, 16, 17, 1000})
    for (int64_t d : {2, 32, 128})
      for (int64_t element_bytes : {1, 2, 4}) {
        const int64_t formula = 2 * 3 * 2 * (context - 1) * d * element_bytes;  // K and V, 3 layers, 2 heads
        EXPECT_EQ(static_kv_size(spec_of(3, 2, d, context, element_bytes, StaticReserve::kDouble)).bytes, 2 * formula);
        EXPECT_EQ(static_kv_size(spec_of(3, 2, d, context, element_bytes, StaticReserve::kOneAndHalf)).bytes,
                  formula * 3 / 2);
      }
}

TEST(StaticKvSize, RoundsHalfAnElementUp) {
  EXPECT_EQ(static_reserve_bytes(spec_of(1, 1, 1, 4, 2, StaticReserve::kOneAndHalf), 5), 23 * 2) << "1.5 * 3 * 5 = 22.5";
}

TEST(StaticKvSize, HasRoomForTheStepsRowWhereTheWindowIsOneRow) {
  for (StaticReserve reserve : kBoth) EXPECT_EQ(static_reserve_bytes(spec_of(1, 1, 8, 2, 1, reserve), 8), 2 * 8);
}

TEST(StaticKvSize, SaysWhereTheBytesGo) {
  StaticKvSpec spec = spec_of(1, 2, 8, 11, 2, StaticReserve::kDouble);
  spec.layers.push_back({.n_kv_heads = 1, .d_k = 4, .d_v = 6});
  const StaticKvSize size = static_kv_size(spec);
  EXPECT_EQ(size.key_bytes, 20 * 2 * (2 * 8 + 4));
  EXPECT_EQ(size.value_bytes, 20 * 2 * (2 * 8 + 6));
  EXPECT_EQ(size.bytes, size.key_bytes + size.value_bytes);
  EXPECT_EQ(size.token_bytes, 2 * (2 * 8 + 2 * 8 + 4 + 6));
  EXPECT_EQ(size.window_bytes, 10 * size.token_bytes);
}

TEST(StaticKvSpec, EveryWindowAndItsOutputFitTheReserve) {
  for (StaticReserve reserve : kBoth)
    for (int64_t context = 2; context < 200; ++context) {
      const StaticKvSpec spec = spec_of(1, 1, 1, context, 1, reserve);
      EXPECT_GE(spec.spare_rows(), 1);
      EXPECT_LE(spec.window_rows() + spec.spare_rows(), static_reserve_bytes(spec, 1)) << "context " << context;
    }
}

TEST(StaticReserve, IsTwoOrOneAndAHalf) {
  EXPECT_EQ(static_reserve(2.0), StaticReserve::kDouble);
  EXPECT_EQ(static_reserve(1.5), StaticReserve::kOneAndHalf);
  for (double factor : {0.0, 1.0, 1.75, 2.5, -2.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(test::error_of([&] { static_reserve(factor); }).code(), Errc::kBadInput) << factor;
}

TEST(StaticKvFormat, IsOneOfThreeSizes) {
  for (int64_t bytes : {1, 2, 4}) EXPECT_EQ(static_kv_format(bytes).block_bytes, bytes);
  EXPECT_EQ(&static_kv_format(1), &format_i8);
  EXPECT_EQ(static_kv_format(2).name, "f16");
  EXPECT_EQ(test::error_of([] { static_kv_format(3); }).code(), Errc::kBadInput);
}

void expect_refused(const StaticKvSpec& spec, const char* says) {
  const Error e = test::error_of([&] { static_kv_size(spec); });
  EXPECT_EQ(e.code(), Errc::kBadInput) << says;
  EXPECT_THAT(e.what(), testing::HasSubstr(says));
}

TEST(StaticKvSize, RefusesWhatIsNoCache) {
  const auto d = StaticReserve::kDouble;
  for (int64_t context : {1, 0, -5}) expect_refused(spec_of(1, 1, 8, context, 2, d), "context");
  for (int64_t bytes : {0, 3, 8, -1}) expect_refused(spec_of(1, 1, 8, 16, bytes, d), "elements");
  expect_refused(spec_of(0, 1, 8, 16, 2, d), "no layers");
  expect_refused(spec_of(2, 0, 8, 16, 2, d), "layer 0: 0 heads");
  expect_refused(spec_of(2, 1, 0, 16, 2, d), "keys of 0");
  expect_refused(spec_of(2, -1, 8, 16, 2, d), "-1 heads");
  StaticKvSpec spec = spec_of(2, 1, 8, 16, 2, d);
  spec.layers[1].d_v = -1;
  expect_refused(spec, "layer 1");
}

TEST(StaticKvSize, RefusesKeysWithoutValues) {
  StaticKvSpec spec = spec_of(2, 1, 8, 16, 2, StaticReserve::kDouble);
  spec.layers[1].d_v = 0;
  const Error e = test::error_of([&] { static_kv_size(spec); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), testing::HasSubstr("an indexer's keys"));
}

TEST(StaticKvSize, RefusesWhatOverflows) {
  constexpr int64_t kMany = int64_t{1} << 32, kMost = std::numeric_limits<int64_t>::max();
  for (StaticReserve reserve : kBoth) {
    expect_refused(spec_of(1, kMany, kMany, kMany, 2, reserve), "64 bits");
    expect_refused(spec_of(1, 1, kMost, 2, 1, reserve), "64 bits");
    expect_refused(spec_of(1, 1, 1, kMost, 4, reserve), "64 bits");
    expect_refused(spec_of(1, kMost, 1, 3, 1, reserve), "64 bits");
    expect_refused(spec_of(8, int64_t{1} << 58, 1, 3, 1, reserve), "64 bits");
  }
}

}  // namespace
}  // namespace skald
