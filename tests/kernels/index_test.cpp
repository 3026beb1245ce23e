// The key index of every tier: approximate scores against sums in double, the codes of a page, and sums of rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/api/key_index.h"
#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

using test::Expected;

constexpr KeyIndex kKinds[] = {KeyIndex::kF16, KeyIndex::kInt8, KeyIndex::kInt4};

IndexColumns columns(KeyIndex kind, int64_t run_keys) { return {run_keys, kind}; }

// A key's code of four bits, by the place of its page's codes.
uint8_t nibble(const std::byte* page, int64_t key) {
  const auto pair = static_cast<int>(page[key % 32]);
  return static_cast<uint8_t>(key < 32 ? pair & 15 : pair >> 4);
}

/// A run of random keys, in memory of exactly its size.
class IndexRun {
 public:
  IndexRun(KeyIndex kind, int64_t d, int64_t run_keys)
      : values(static_cast<size_t>(d * run_keys)),
        steps(kind == KeyIndex::kF16 ? 0 : values.size()),
        bytes(static_cast<size_t>(d * columns(kind, run_keys).stride())) {
    const IndexColumns shape = columns(kind, run_keys);
    const std::vector<float> x = test::normal(d * run_keys, 1), spread = test::normal(d * run_keys / kPageKeys, 2),
                             middle = test::normal(d * run_keys / kPageKeys, 4);
    for (int64_t at = 0; at < d * run_keys; ++at) {
      std::byte* column = bytes.data() + at / run_keys * shape.stride();
      const auto i = static_cast<size_t>(at);
      const int64_t key = at % run_keys;
      const float scale = 0.01f + std::abs(spread[i / kPageKeys]), centre = middle[i / kPageKeys];
      if (kind != KeyIndex::kF16) steps[i] = static_cast<double>(scale);
      std::memcpy(column + shape.scales() + shape.numbers(key), &scale, sizeof scale);
      if (shape.has_centres()) std::memcpy(column + shape.centres() + shape.numbers(key), &centre, sizeof centre);
      if (kind == KeyIndex::kF16)
        values[i] = store_half(x[i], column + 2 * key);
      else if (kind == KeyIndex::kInt8)
        values[i] = store_code(x[i], column + key) * steps[i];
      else
        values[i] =
            static_cast<double>(centre) + store_nibble(x[i], column + shape.codes(key - key % 64), key % 64) * steps[i];
    }
  }

  std::vector<double> values;    // (d, run_keys)
  std::vector<double> steps;     // of bytes and nibbles: a value is a code times its step, around a centre
  std::vector<std::byte> bytes;  // (d) columns

 private:
  static double store_half(float x, std::byte* to) {
    const Format& f16 = *find_format("f16");
    f16.encode(&x, to, 1);
    float half;
    f16.decode(to, &half, 1);
    return static_cast<double>(half);
  }
  static int8_t store_code(float x, std::byte* to) {
    const auto code = static_cast<int8_t>(std::clamp(x * 50, -127.0f, 127.0f));
    *to = static_cast<std::byte>(code);
    return code;
  }
  static double store_nibble(float x, std::byte* page, int64_t key) {
    const auto code = static_cast<int>(std::clamp(x * 4 + 8, 0.0f, 15.0f));
    std::byte& pair = page[key % 32];
    pair = key < 32 ? static_cast<std::byte>(code) : pair | static_cast<std::byte>(code << 4);
    return code - 7.5;
  }
};

struct Case {
  int64_t group, k1, d, run_keys, first, n;
};

class IndexScores : public test::TierTest {
 protected:
  void check(KeyIndex kind, const Case& c) const {
    SCOPED_TRACE(testing::Message() << IndexColumns::bytes_per_key(kind) << " bytes a dimension, group " << c.group << ", "
                                    << c.k1 << " of " << c.d << " dimensions, " << c.n << " keys from " << c.first << " of "
                                    << c.run_keys);
    const IndexRun run(kind, c.d, c.run_keys);
    const int64_t q_stride = c.k1 + 2, stride = c.n + 5;
    std::vector<float> q = test::normal((c.group - 1) * q_stride + c.k1, 3);
    for (int64_t g = 0; g + 1 < c.group; ++g) std::fill_n(q.begin() + g * q_stride + c.k1, 2, std::nanf(""));
    const std::vector<int32_t> dims = some_dims(c);
    test::Guarded<float> scores(c.group * stride);
    for (const std::byte* next : {static_cast<const std::byte*>(nullptr), run.bytes.data()})
      kernels().index_scores[static_cast<size_t>(kind)]({q.data(), q_stride, c.group, dims.data(), c.k1, run.bytes.data(),
                                                         next, c.run_keys, c.first, c.n, scores.data(), stride});
    for (int64_t g = 0; g < c.group; ++g) {
      const Expected want = expected(kind, c, run, dims, q.data() + g * q_stride);
      ASSERT_TRUE(want.matches(scores.data() + g * stride)) << "head " << g;
      ASSERT_TRUE(scores.untouched(g * stride + c.n)) << "after the scores of head " << g;
    }
    ASSERT_TRUE(scores.intact());
  }

 private:
  // Spread over all of them, the last one included.
  static std::vector<int32_t> some_dims(const Case& c) {
    std::vector<int32_t> dims;
    for (int64_t i = 0; i < c.k1; ++i) dims.push_back(static_cast<int32_t>(c.d - 1 - i * c.d / c.k1));
    std::ranges::reverse(dims);
    return dims;
  }
  // A query times a step may be rounded to 12 bits below the largest of some dimensions (kernels/generic/index_int16.inl),
  // or for codes of four bits to 7 (index_int4.inl).
  static Expected expected(KeyIndex kind, const Case& c, const IndexRun& run, const std::vector<int32_t>& dims,
                           const float* q) {
    Expected out;
    for (int64_t i = c.first; i < c.first + c.n; ++i) {
      double sum = 0, magnitude = 0, largest = 0, codes = 0;
      for (size_t j = 0; j < dims.size(); ++j) {
        const auto at = static_cast<size_t>(dims[j] * c.run_keys + i);
        const double term = static_cast<double>(q[j]) * run.values[at];
        sum += term;
        magnitude += std::abs(term);
        if (run.steps.empty()) continue;
        largest = std::max(largest, std::abs(static_cast<double>(q[j]) * run.steps[at]));
        codes += kind == KeyIndex::kInt4 ? 7.5 : std::abs(run.values[at] / run.steps[at]);
      }
      const double integers = kind == KeyIndex::kInt4 ? 127 : 4095;
      // Two roundings more: the query times the step, and of 16 bits a pass's unit.
      out.add(sum, magnitude * 0x1p-24 * (2 + test::roundings(c.k1)) + codes * largest / 2 / integers);
    }
    return out;
  }
};

TEST_P(IndexScores, AreDotProductsForEveryGroup) {
  for (const KeyIndex kind : kKinds)
    for (int64_t group = 1; group <= 9; ++group) check(kind, {group, 16, 64, 128, 0, 128});
}

TEST_P(IndexScores, AreDotProductsOfAnyDimensions) {
  for (const KeyIndex kind : kKinds)
    for (const int64_t d : {32, 80, 128})
      for (const int64_t k1 : {int64_t{1}, int64_t{4}, int64_t{16}, int64_t{28}, d}) check(kind, {3, k1, d, 64, 0, 64});
}

TEST_P(IndexScores, AreThoseOfAnyPagesOfARun) {
  for (const KeyIndex kind : kKinds)
    for (const int64_t run_keys : {256, 2048})
      for (int64_t first = 0; first < run_keys; first += run_keys / 4)
        for (const int64_t n : {int64_t{64}, int64_t{192}, run_keys - first})
          if (first + n <= run_keys) check(kind, {2, 5, 16, run_keys, first, n});
}

INSTANTIATE_TEST_SUITE_P(All, IndexScores, testing::ValuesIn(tiers()), test::tier_name);

/// A page of keys in panels, of which the first d dimensions are meant.
struct PanelPage {
  PanelPage(int64_t dims, int64_t after, float spread)
      : d(dims), panel_d(dims + after), panels(test::normal(kPageKeys * panel_d, 4, spread)) {}
  float& at(int64_t key, int64_t dim) {
    return panels[static_cast<size_t>((key / kPanel * panel_d + dim) * kPanel + key % kPanel)];
  }
  int64_t d, panel_d;
  std::vector<float> panels;
};

class StoreIndex : public test::TierTest {
 protected:
  using Stored = test::Guarded<std::byte>;         // (d) columns
  static constexpr int64_t kRun = 192, kPage = 1;  // keys; which page of the run is written

  static Stored stored(const KernelTable& kernels, KeyIndex kind, const PanelPage& page) {
    Stored out(page.d * columns(kind, kRun).stride());
    kernels.store_index[static_cast<size_t>(kind)](
        {page.panels.data(), page.panel_d, page.d, out.data(), kRun, kPage * kPageKeys});
    EXPECT_TRUE(out.intact());
    return out;
  }
  /// The page's codes of a dimension.
  static const std::byte* codes(const Stored& s, KeyIndex kind, int64_t j) {
    const IndexColumns shape = columns(kind, kRun);
    return s.data() + j * shape.stride() + shape.codes(kPage * kPageKeys);
  }
  static float number(const Stored& s, KeyIndex kind, int64_t numbers, int64_t j) {
    float out;
    std::memcpy(&out, s.data() + j * columns(kind, kRun).stride() + numbers + kPage * 4, sizeof out);
    return out;
  }
  static float scale(const Stored& s, KeyIndex kind, int64_t j) { return number(s, kind, columns(kind, kRun).scales(), j); }
  /// The bytes of the other pages are as they were.
  static void expect_others_untouched(KeyIndex kind, const Stored& s, int64_t d) {
    const IndexColumns shape = columns(kind, kRun);
    const int64_t page_bytes = shape.codes(kPageKeys);
    for (int64_t b = 0; b < d * shape.stride(); ++b) {
      const int64_t at = b % shape.stride();
      const int64_t page = at < shape.scales() ? at / page_bytes : (at - shape.scales()) / 4 % (kRun / kPageKeys);
      ASSERT_TRUE(page == kPage || s.untouched(b)) << b;
    }
  }
};

TEST_P(StoreIndex, RoundsToHalfAStepOfTheDimensionsLargest) {
  for (const float spread : {1.0f, 1e-3f, 1e4f})
    for (const int64_t d : {1, 7, 32, 80}) {
      PanelPage page(d, 3, spread);
      const Stored s = stored(kernels(), KeyIndex::kInt8, page);
      for (int64_t j = 0; j < d; ++j) {
        float largest = 0;
        for (int64_t i = 0; i < kPageKeys; ++i) largest = std::max(largest, std::abs(page.at(i, j)));
        const float step = scale(s, KeyIndex::kInt8, j);
        ASSERT_FLOAT_EQ(step, largest / 127.0f);
        for (int64_t i = 0; i < kPageKeys; ++i) {
          const auto got = static_cast<int8_t>(codes(s, KeyIndex::kInt8, j)[i]);
          ASSERT_NEAR(step * static_cast<float>(got), page.at(i, j), 0.5001f * step) << i << ", " << j;
        }
      }
      expect_others_untouched(KeyIndex::kInt8, s, d);
    }
}

// Also of numbers that are all far from zero, as a bias makes keys.
TEST_P(StoreIndex, RoundsToHalfAFifteenthOfTheRange) {
  for (const float bias : {0.0f, 100.0f, -1e4f})
    for (const int64_t d : {1, 7, 32, 80}) {
      PanelPage page(d, 3, 1);
      for (float& x : page.panels) x += bias;
      const Stored s = stored(kernels(), KeyIndex::kInt4, page);
      for (int64_t j = 0; j < d; ++j) {
        float least = page.at(0, j), most = least;
        for (int64_t i = 0; i < kPageKeys; ++i) {
          least = std::min(least, page.at(i, j));
          most = std::max(most, page.at(i, j));
        }
        const float step = scale(s, KeyIndex::kInt4, j);
        const float centre = number(s, KeyIndex::kInt4, columns(KeyIndex::kInt4, kRun).centres(), j);
        ASSERT_FLOAT_EQ(step, (most - least) / 15.0f);
        ASSERT_FLOAT_EQ(centre, (most + least) / 2);
        for (int64_t i = 0; i < kPageKeys; ++i) {
          const float got = centre + (nibble(codes(s, KeyIndex::kInt4, j), i) - 7.5f) * step;
          ASSERT_NEAR(got, page.at(i, j), 0.501f * step + std::abs(bias) * 0x1p-22f) << i << ", " << j;
        }
      }
      expect_others_untouched(KeyIndex::kInt4, s, d);
    }
}

TEST_P(StoreIndex, HoldsHalves) {
  const Format& f16 = *find_format("f16");
  for (const int64_t d : {1, 7, 32, 80}) {
    PanelPage page(d, 3, 1);
    const Stored s = stored(kernels(), KeyIndex::kF16, page);
    for (int64_t j = 0; j < d; ++j)
      for (int64_t i = 0; i < kPageKeys; ++i) {
        std::byte want[2];
        f16.encode(&page.at(i, j), want, 1);
        const std::byte* got = codes(s, KeyIndex::kF16, j) + 2 * i;
        ASSERT_TRUE(std::equal(want, want + 2, got)) << i << ", " << j;
      }
    expect_others_untouched(KeyIndex::kF16, s, d);
  }
}

// Zeros, what is too small for a scale, and ties.
TEST_P(StoreIndex, GivesTheSameBytesOnEveryTier) {
  for (const KeyIndex kind : kKinds)
    for (const float spread : {1.0f, 1e-30f, 1e-38f, 1e-42f, 0.0f, 1e4f}) {
      PanelPage page(33, 0, spread);
      for (int64_t i = 0; i < kPageKeys && spread == 1; ++i) {
        page.at(i, 3) = 0;
        page.at(i, 4) = i == 9 ? 127.0f : static_cast<float>(i) - 32.5f;
        page.at(i, 5) = -page.at(i, 4);
      }
      const Stored got = stored(kernels(), kind, page), want = stored(test::scalar_kernels(), kind, page);
      EXPECT_TRUE(std::ranges::equal(got.values(), want.values())) << IndexColumns::bytes_per_key(kind) << ", " << spread;
    }
}

INSTANTIATE_TEST_SUITE_P(All, StoreIndex, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
