// Keys as codes by component and page, on every tier: codes against their definition and the scalar tier's bits; scores of
// folded queries and unpacked panels against the keys that the codes mean.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/api/key_codes.h"
#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

constexpr KeyCodes kCodeKinds[] = {KeyCodes::kBytes, KeyCodes::kNibbles};
constexpr KeyOrder kOrders[] = {KeyOrder::kRows, KeyOrder::kDims};
constexpr int64_t kSizes[] = {1, 31, 32, 64, 80, 96, 128, 256};

int steps_of(KeyCodes kind) { return kind == KeyCodes::kBytes ? 254 : 15; }

/// A page of keys as f16, and room for its codes. Components have other sizes and middles; one is constant.
class Page {
 public:
  static constexpr int64_t kGap = 6;  // bytes between rows

  Page(KeyCodes kind, int64_t d, KeyOrder order = KeyOrder::kRows, uint64_t seed = 1)
      : shape{kind, d, order}, codes(shape.bytes()) {
    values = test::normal(kPageKeys * d, seed);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto c = static_cast<int64_t>(i) % d;
      values[i] = c % 7 == 3 ? 2.5f : values[i] * std::exp2(static_cast<float>(c % 5 - 3)) + (c % 4 == 1 ? 40.0f : 0);
    }
    set_rows();
  }

  void set(int64_t key, int64_t c, float x) {
    values[static_cast<size_t>(key * shape.d + c)] = x;
    set_rows();
  }
  void store(const KernelTable& kernels) {
    kernels.store_codes[static_cast<size_t>(shape.kind)]({rows_.data(), stride(), shape.d, shape.order, codes.data()});
  }
  float value(int64_t key, int64_t c) const { return values[static_cast<size_t>(key * shape.d + c)]; }
  /// Number c of the scales, then of the least ones.
  double number(int64_t i) const {
    float x;
    format_f16.decode(codes.data() + shape.numbers() + 2 * i, &x, 1);
    return static_cast<double>(x);
  }
  int code(int64_t key, int64_t c) const {
    const bool rows = shape.order == KeyOrder::kRows;
    const std::byte* row = codes.data() + (rows ? key : c) * shape.stride();
    const int64_t i = rows ? c : key;
    if (shape.kind == KeyCodes::kBytes) return static_cast<int8_t>(row[i]) + 127;
    const auto pair = static_cast<int>(row[i / 32 * 16 + i % 16]);
    return i % 32 < 16 ? pair & 15 : pair >> 4;
  }
  double meant(int64_t key, int64_t c) const { return number(shape.columns() + c) + code(key, c) * number(c); }
  /// Rows of codes, with pointers to more of them.
  std::vector<const std::byte*> rows() const {
    std::vector<const std::byte*> out;
    for (int64_t i = 0; i < kPageKeys + kRowsAhead; ++i)
      out.push_back(codes.data() + std::min(i, kPageKeys - 1) * shape.stride());
    return out;
  }

  CodedPage shape;
  std::vector<float> values;  // (kPageKeys, d), as stored
  test::Guarded<std::byte> codes;

 private:
  int64_t stride() const { return 2 * shape.d + kGap; }
  void set_rows() {
    rows_.assign(static_cast<size_t>(kPageKeys * stride() - kGap), std::byte{0xff});
    for (int64_t i = 0; i < kPageKeys; ++i) {
      format_f16.encode(values.data() + i * shape.d, rows_.data() + i * stride(), shape.d);
      format_f16.decode(rows_.data() + i * stride(), values.data() + i * shape.d, shape.d);
    }
  }

  std::vector<std::byte> rows_;
};

/// fn(page) for every kind, order and size.
template <class Fn>
void for_pages(Fn fn) {
  for (const KeyCodes kind : kCodeKinds)
    for (const KeyOrder order : kOrders)
      for (const int64_t d : kSizes) {
        SCOPED_TRACE(testing::Message() << steps_of(kind) << " steps, " << (order == KeyOrder::kRows ? "rows" : "dims")
                                        << " of " << d);
        Page page(kind, d, order);
        fn(page);
      }
}

class KeyCodesOn : public test::TierTest {};

TEST_P(KeyCodesOn, TakeTheLeastNumberOfAComponentAndEqualStepsOfItsRange) {
  for_pages([&](Page& page) {
    page.store(kernels());
    ASSERT_TRUE(page.codes.intact());
    const int steps = steps_of(page.shape.kind);
    for (int64_t c = 0; c < page.shape.d; ++c) {
      float least = page.value(0, c), most = least;
      for (int64_t i = 0; i < kPageKeys; ++i) {
        least = std::min(least, page.value(i, c));
        most = std::max(most, page.value(i, c));
      }
      const double step = page.number(c), range = static_cast<double>(most) - static_cast<double>(least);
      ASSERT_EQ(page.number(page.shape.columns() + c), static_cast<double>(least)) << c;
      ASSERT_GE(step * steps, range * (1 - 0x1p-20)) << c;
      ASSERT_LE(step * steps, range * (1 + 0x1p-9) + 0x1p-16) << c;
      for (int64_t i = 0; i < kPageKeys; ++i)
        ASSERT_LE(std::abs(page.meant(i, c) - static_cast<double>(page.value(i, c))), step * 0.5001) << i << ", " << c;
    }
    for (int64_t c = page.shape.d; c < page.shape.columns(); ++c)
      for (int64_t i = 0; i < kPageKeys; ++i) ASSERT_EQ(page.meant(i, c), 0) << i << ", " << c;
  });
}

TEST_P(KeyCodesOn, HaveTheBitsOfTheReference) {
  for_pages([&](Page& page) {
    Page want(page.shape.kind, page.shape.d, page.shape.order);
    page.store(kernels());
    want.store(test::scalar_kernels());
    ASSERT_TRUE(std::ranges::equal(page.codes.values(), want.codes.values()));
  });
}

TEST_P(KeyCodesOn, KeepRangesNearTheLeastAndTheMostOfF16) {
  for (const KeyCodes kind : kCodeKinds) {
    Page page(kind, 64);
    for (int64_t i = 0; i < kPageKeys; ++i) {
      page.set(i, 0, static_cast<float>(i) * 0x1p-24f);
      page.set(i, 1, i % 2 ? 65504.0f : -65504.0f);
      page.set(i, 2, i % 2 ? 0.0f : -0.0f);
    }
    page.store(kernels());
    for (int64_t i = 0; i < kPageKeys; ++i)
      for (int64_t c = 0; c < 3; ++c)
        ASSERT_LE(std::abs(page.meant(i, c) - static_cast<double>(page.value(i, c))), page.number(c) * 0.501) << i;
  }
}

TEST_P(KeyCodesOn, MakeNoNumberOfAComponentThatIsNotFinite) {
  for (const KeyCodes kind : kCodeKinds)
    for (const float x : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), std::nanf("")}) {
      Page page(kind, 64);
      page.set(17, 5, x);
      page.store(kernels());
      for (int64_t c = 0; c < 64; ++c) ASSERT_EQ(std::isnan(page.meant(3, c)), c == 5) << c << ", " << x;
    }
}

TEST_P(KeyCodesOn, MeetFoldedQueriesAsTheKeysThatTheyMean) {
  for (const int64_t group : {1, 2, 4, 7})
    for_pages([&](Page& page) {
      page.store(test::scalar_kernels());
      const int64_t d = page.shape.d, stride = page.shape.columns() + 32, n = kPageKeys - group;
      std::vector<float> q = test::normal(group * stride, 3);
      for (int64_t g = 0; g < group; ++g) std::fill(q.begin() + g * stride + d, q.begin() + (g + 1) * stride, 0.0f);
      test::Guarded<float> folded(group * stride), bias(group), scores(group * kPageKeys);
      const auto at = static_cast<size_t>(page.shape.kind);
      kernels().fold_queries[at]({q.data(), stride, group, d, page.codes.data(), folded.data(), bias.data()});
      const bool by_rows = page.shape.order == KeyOrder::kRows;
      const std::vector<const std::byte*> rows = by_rows ? page.rows() : std::vector<const std::byte*>();
      if (by_rows)
        kernels().code_scores[at]({folded.data(), stride * int64_t{sizeof(float)}, group, rows.data(), n,
                                   page.shape.columns(), scores.data(), kPageKeys});
      else
        kernels().code_dim_scores[at]({.q = folded.data(),
                                       .q_stride = stride,
                                       .group = group,
                                       .keys = page.codes.data(),
                                       .k_stride = page.shape.stride(),
                                       .next = {page.codes.data(), page.shape.bytes()},
                                       .n = n,
                                       .d = d,
                                       .scores = scores.data(),
                                       .scores_stride = kPageKeys});
      for (int64_t g = 0; g < group; ++g) {
        for (int64_t i = 0; i < n; ++i) {
          double sum = 0, size = 0;
          for (int64_t c = 0; c < d; ++c) {
            const double x = static_cast<double>(q[static_cast<size_t>(g * stride + c)]);
            sum += x * page.meant(i, c);
            size += std::abs(x) * (std::abs(page.number(page.shape.columns() + c)) + 254 * page.number(c));
          }
          ASSERT_NEAR(static_cast<double>(scores[g * kPageKeys + i] + bias[g]), sum, size * test::roundings(d) * 0x1p-24)
              << g << ", " << i;
        }
        ASSERT_TRUE(!by_rows || scores.untouched(g * kPageKeys + n)) << g;
      }
      ASSERT_TRUE(folded.intact() && bias.intact() && scores.intact());
    });
}

TEST_P(KeyCodesOn, UnpackAsTheKeysThatTheyMean) {
  for_pages([&](Page& page) {
    page.store(test::scalar_kernels());
    const int64_t d = page.shape.d;
    test::Guarded<float> panels(kPageKeys * d);
    const auto at = static_cast<size_t>(page.shape.kind);
    kernels().unpack_codes[at]({page.codes.data(), d, page.shape.order, panels.data()});
    for (int64_t i = 0; i < kPageKeys; ++i)
      for (int64_t c = 0; c < d; ++c) {
        const double want = page.meant(i, c), got = static_cast<double>(panels[(i / kPanel * d + c) * kPanel + i % kPanel]);
        ASSERT_NEAR(got, want, std::abs(want) * 0x1p-23) << i << ", " << c;
      }
    ASSERT_TRUE(panels.intact());
  });
}

INSTANTIATE_TEST_SUITE_P(All, KeyCodesOn, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
