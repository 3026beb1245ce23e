// Prefill's panels: those of pages in every cache format, exactly, and the matrix product over them.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/checked.h"
#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

const int64_t kKeys[] = {1, 7, 8, 15, 16, 17, 32, 33, 63, 64};

testing::Message text(const Format& format, int64_t n, int64_t d) {
  return testing::Message() << format.name << ", " << n << " of " << d;
}

class Unpack : public test::TierTest {
 protected:
  /// Keys (n, d) in panels of columns, 0 from n on.
  static std::vector<float> key_panels(const std::vector<float>& keys, int64_t n, int64_t d) {
    std::vector<float> out(static_cast<size_t>(kPageKeys * d), 0.0f);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < d; ++j)
        out[static_cast<size_t>((i / kPanel * d + j) * kPanel + i % kPanel)] = keys[static_cast<size_t>(i * d + j)];
    return out;
  }

  /// Values (n, d) in panels of rows, filled up with 0.
  static std::vector<float> value_panels(const std::vector<float>& values, int64_t n, int64_t d) {
    std::vector<float> out(static_cast<size_t>(kPageKeys * round_up(d, kPanel)), 0.0f);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < d; ++c)
        out[static_cast<size_t>((c / kPanel * kPageKeys + i) * kPanel + c % kPanel)] =
            values[static_cast<size_t>(i * d + c)];
    return out;
  }

  void check_key_rows(const Format& format, int64_t n, int64_t d) const {
    SCOPED_TRACE(text(format, n, d));
    const test::CacheRows keys(format, n, d, 1);
    test::Guarded<float> panels(kPageKeys * d);
    kernels().unpack_key_rows[format.id]({keys.rows.data(), nullptr, 0, n, d, panels.data()});
    ASSERT_TRUE(test::close_to(panels.values(), key_panels(keys.values, n, d), 0));
    ASSERT_TRUE(panels.intact());
  }

  // The values of keys from n on are left open.
  void check_key_dims(const Format& format, int64_t n, int64_t d) const {
    SCOPED_TRACE(text(format, n, d));
    const test::KeyPage page(format, n, d, 1);
    test::Guarded<float> panels(kPageKeys * d);
    kernels().unpack_key_dims[format.id]({nullptr, page.keys(), page.stride, n, d, panels.data()});
    for (int64_t row = 0; row < kPageKeys / kPanel * d; ++row)
      for (int64_t col = std::clamp<int64_t>(n - row / d * kPanel, 0, kPanel); col < kPanel; ++col)
        panels[row * kPanel + col] = 0;
    ASSERT_TRUE(test::close_to(panels.values(), key_panels(page.values, n, d), 0));
    ASSERT_TRUE(panels.intact());
  }

  void check_values(const Format& format, int64_t n, int64_t d) const {
    SCOPED_TRACE(text(format, n, d));
    const test::CacheRows values(format, n, d, 1);
    test::Guarded<float> panels(kPageKeys * round_up(d, kPanel));
    kernels().unpack_values[format.id]({values.rows.data(), nullptr, 0, n, d, panels.data()});
    ASSERT_TRUE(test::close_to(panels.values(), value_panels(values.values, n, d), 0));
    ASSERT_TRUE(panels.intact());
  }
};

TEST_P(Unpack, MakesColumnsOfKeysInRows) {
  for (const Format* f : test::cache_formats()) {
    for (int64_t d : test::head_sizes(*f)) check_key_rows(*f, 21, d);
    for (int64_t n : kKeys) check_key_rows(*f, n, 32);
  }
}

TEST_P(Unpack, CopiesKeysByDimensions) {
  for (const Format* f : test::plain_formats()) {
    for (int64_t d : test::head_sizes(*f)) check_key_dims(*f, 21, d);
    for (int64_t n : kKeys) check_key_dims(*f, n, 33);
  }
}

TEST_P(Unpack, FillsUpValuesWithZeros) {
  for (const Format* f : test::cache_formats()) {
    for (int64_t d : test::head_sizes(*f)) check_values(*f, 21, d);
    for (int64_t n : kKeys) check_values(*f, n, 64);
  }
}

/// Rows of integers, which have no codec of their own, in memory that ends with the last of them.
struct IntegerRows {
  IntegerRows(int64_t n, int64_t d) : memory(std::make_unique<int8_t[]>(static_cast<size_t>(n * d))) {
    for (int64_t i = 0; i < n * d; ++i) {
      memory[static_cast<size_t>(i)] = static_cast<int8_t>(i * 37 % 255 - 127);
      values.push_back(memory[static_cast<size_t>(i)]);
    }
    for (int64_t i = 0; i < n + kRowsAhead; ++i)
      rows.push_back(reinterpret_cast<const std::byte*>(memory.get() + std::min(i, n) * d));
  }
  std::unique_ptr<int8_t[]> memory;    // (n, d)
  std::vector<float> values;           // likewise
  std::vector<const std::byte*> rows;  // (n + kRowsAhead)
};

TEST_P(Unpack, ReadsIntegersAsTheyAre) {
  for (int64_t n : kKeys)
    for (int64_t d : {1, 8, 15, 33, 64, 80}) {
      const IntegerRows x(n, d);
      test::Guarded<float> keys(kPageKeys * d), values(kPageKeys * round_up(d, kPanel));
      kernels().unpack_key_rows[format_i8.id]({x.rows.data(), nullptr, 0, n, d, keys.data()});
      kernels().unpack_values[format_i8.id]({x.rows.data(), nullptr, 0, n, d, values.data()});
      ASSERT_TRUE(test::close_to(keys.values(), key_panels(x.values, n, d), 0)) << n << " of " << d;
      ASSERT_TRUE(test::close_to(values.values(), value_panels(x.values, n, d), 0)) << n << " of " << d;
      ASSERT_TRUE(keys.intact() && values.intact());
    }
}

class PanelGemm : public test::TierTest {
 protected:
  void check(int64_t m, int64_t k, int64_t panels, bool add) const {
    SCOPED_TRACE(testing::Message() << m << " x " << k << " by " << panels << " panels, " << (add ? "added" : "set"));
    const int64_t columns = panels * kPanel, a_stride = k + 3, c_stride = columns + 1;
    const std::vector<float> a = test::normal(m * a_stride, 1), b = test::normal(panels * k * kPanel, 2),
                             before = test::normal(m * columns, 3);
    test::Guarded<float> c(m * c_stride);
    if (add)
      for (int64_t r = 0; r < m; ++r) std::ranges::copy(test::row_of(before, r, columns), c.data() + r * c_stride);
    kernels().panel_gemm({a.data(), a_stride, b.data(), c.data(), c_stride, m, k, panels, add});
    for (int64_t r = 0; r < m; ++r) {
      const std::span<const float> row = test::row_of(a, r, a_stride).first(static_cast<size_t>(k));
      const test::Expected want =
          expected(row, b, add ? test::row_of(before, r, columns) : std::span<const float>(), columns);
      ASSERT_TRUE(want.matches(c.data() + r * c_stride)) << "row " << r;
      ASSERT_TRUE(c.untouched(r * c_stride + columns)) << "after row " << r;
    }
    ASSERT_TRUE(c.intact());
  }

 private:
  /// before (empty: zeros) + a (k) b (panels, k, kPanel)
  static test::Expected expected(std::span<const float> a, const std::vector<float>& b, std::span<const float> before,
                                 int64_t columns) {
    const auto k = std::ssize(a);
    test::Expected out;
    for (int64_t col = 0; col < columns; ++col) {
      std::vector<float> column;
      for (int64_t i = 0; i < k; ++i)
        column.push_back(b[static_cast<size_t>((col / kPanel * k + i) * kPanel + col % kPanel)]);
      test::Dot dot(a, column);
      const double start = before.empty() ? 0 : static_cast<double>(before[static_cast<size_t>(col)]);
      dot.sum += start;
      dot.magnitude += std::abs(start);
      out.add(dot.sum, dot.limit(test::roundings(k)));
    }
    return out;
  }
};

TEST_P(PanelGemm, IsAProductForEveryNumberOfRows) {
  for (bool add : {false, true})
    for (int64_t m = 1; m <= 30; ++m) check(m, 33, 2, add);
}

TEST_P(PanelGemm, IsAProductForEveryDepth) {
  for (bool add : {false, true})
    for (int64_t k : {1, 2, 3, 17, 64, 80, 128, 256}) check(17, k, 1, add);
}

TEST_P(PanelGemm, IsAProductForEveryNumberOfPanels) {
  for (bool add : {false, true})
    for (int64_t panels = 1; panels <= 8; ++panels) check(15, 20, panels, add);
}

INSTANTIATE_TEST_SUITE_P(All, Unpack, testing::ValuesIn(tiers()), test::tier_name);
INSTANTIATE_TEST_SUITE_P(All, PanelGemm, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
