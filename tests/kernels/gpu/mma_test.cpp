// Products of matrices by a warp, against plain loops. The maps of the PTX manual are written here anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "kernels/gpu/simt.h"
#include "tests/kernels/gpu/run_kernel.h"

namespace skald::simt::mma_test {
namespace {

// A (16, depth), B (depth, 8), C (16, 8), by rows.
template <class T>
struct Matrices {
  explicit Matrices(size_t k) : depth(k), a(16 * k), b(k * 8), c(16 * 8) {}
  /// C + A B, exact for the numbers of these tests.
  std::vector<T> product() const {
    std::vector<T> out = c;
    for (size_t row = 0; row < 16; ++row)
      for (size_t column = 0; column < 8; ++column)
        for (size_t k = 0; k < depth; ++k) out[row * 8 + column] += a[row * depth + k] * b[k * 8 + column];
    return out;
  }
  size_t depth;
  std::vector<T> a, b, c;
};

// All numbers are eighths up to 12, so that neither halves nor bf16 nor sums round.
Matrices<float> eighths(uint32_t seed) {
  Matrices<float> m(16);
  std::mt19937 bits(seed);
  const auto next = [&] { return static_cast<float>(static_cast<int>(bits() % 193) - 96) / 8; };
  for (auto* of : {&m.a, &m.b, &m.c}) std::ranges::generate(*of, next);
  return m;
}

Matrices<int> signed_bytes(size_t depth, uint32_t seed) {
  Matrices<int> m(depth);
  std::mt19937 bits(seed);
  for (auto* of : {&m.a, &m.b, &m.c}) std::ranges::generate(*of, [&] { return static_cast<int>(bits() % 256) - 128; });
  return m;
}

// What the lanes of a warp hold.
template <class T>
struct Fragments {
  uint32_t a[kWarp][4] = {}, b[kWarp][2] = {};
  T c[kWarp][4] = {};
};

// A register holds 32 / (bits of an element) columns of A on end, or rows of B. Lane l is 4 g + t. Those of A begin at row
// g + i % 2 * 8 and column n t + i / 2 * 4 n, those of B at row n t + 4 n i of column g, n elements each. Matrices of half
// the depth take half the registers.
template <class T, class Code>
Fragments<T> laid_out(const Matrices<T>& m, size_t n, Code code) {
  Fragments<T> out;
  for (size_t l = 0; l < kWarp; ++l) {
    const size_t g = l / 4, t = l % 4, bits = 32 / n;
    for (size_t i = 0; i < m.depth / (4 * n) * 2; ++i)
      for (size_t j = 0; j < n; ++j)
        out.a[l][i] |= uint32_t{code(m.a[(g + i % 2 * 8) * m.depth + n * t + i / 2 * 4 * n + j])} << bits * j;
    for (size_t i = 0; i < m.depth / (4 * n); ++i)
      for (size_t j = 0; j < n; ++j) out.b[l][i] |= uint32_t{code(m.b[(n * t + 4 * n * i + j) * 8 + g])} << bits * j;
    for (size_t e = 0; e < 4; ++e) out.c[l][e] = m.c[(g + e / 2 * 8) * 8 + 2 * t + e % 2];
  }
  return out;
}

template <class T>
std::vector<T> sums_of(const Fragments<T>& f) {
  std::vector<T> out(16 * 8);
  for (size_t l = 0; l < kWarp; ++l)
    for (size_t e = 0; e < 4; ++e) out[(l / 4 + e / 2 * 8) * 8 + 2 * (l % 4) + e % 2] = f.c[l][e];
  return out;
}

template <class T>
struct MmaArgs {
  Fragments<T>* of;  // (warps)
};

template <class T, class Mma>
void multiply_fragments(MmaArgs<T> args, Mma mma) {
  Fragments<T>& f = args.of[warp()];
  uint32_t a[4], b[2];
  T c[4];
  std::ranges::copy(f.a[lane()], a);
  std::ranges::copy(f.b[lane()], b);
  std::ranges::copy(f.c[lane()], c);
  mma(c, a, b);
  std::ranges::copy(c, f.c[lane()]);
}
SIMT_KERNEL void multiply_f16(MmaArgs<float> args) {
  multiply_fragments(args, [](auto& c, auto& a, auto& b) { mma_f16(c, a, b); });
}
SIMT_KERNEL void multiply_bf16(MmaArgs<float> args) {
  multiply_fragments(args, [](auto& c, auto& a, auto& b) { mma_bf16(c, a, b); });
}
SIMT_KERNEL void multiply_s8(MmaArgs<int> args) {
  multiply_fragments(args, [](auto& c, auto& a, auto& b) { mma_s8(c, a, b); });
}
SIMT_KERNEL void multiply_s8_short(MmaArgs<int> args) {
  multiply_fragments(args, [](auto& c, auto& a, auto& b) { mma_s8(c, {a[0], a[1]}, b[0]); });
}

/// Two warps, each with matrices of its own.
template <auto kKernel, class T, class Code>
void expect_products(const std::array<Matrices<T>, 2>& of, size_t elements, Code code) {
  std::array<Fragments<T>, 2> f;
  for (size_t i = 0; i < 2; ++i) f[i] = laid_out(of[i], elements, code);
  test::run_kernel<kKernel>({{}, 2 * kWarp}, MmaArgs<T>{f.data()});
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(sums_of(f[i]), of[i].product()) << "warp " << i;
}

TEST(SimtWords, MmaF16AddsAProductOfMatrices) {
  expect_products<multiply_f16>(std::array{eighths(1), eighths(2)}, 2, [](float x) { return to_f16(x).bits; });
}

TEST(SimtWords, MmaBf16AddsAProductOfMatrices) {
  expect_products<multiply_bf16>(std::array{eighths(3), eighths(4)}, 2, [](float x) { return to_bf16(x).bits; });
}

TEST(SimtWords, MmaS8AddsAProductOfSignedBytes) {
  expect_products<multiply_s8>(std::array{signed_bytes(32, 5), signed_bytes(32, 6)}, 4,
                               [](int x) { return static_cast<uint8_t>(x); });
}

TEST(SimtWords, MmaS8AddsAProductOfSixteenColumns) {
  expect_products<multiply_s8_short>(std::array{signed_bytes(16, 7), signed_bytes(16, 8)}, 4,
                                     [](int x) { return static_cast<uint8_t>(x); });
}

struct LoadMatrixArgs {
  uint32_t *plain, *transposed;  // (32, 4)
};
// Rows lie in memory in another order than lanes name them.
struct ScatteredRows {
  Words4 rows[kWarp];
};
constexpr size_t slot_of(size_t row) { return row * 5 % kWarp; }

// Row r of matrix m has the numbers 100 (8 m + r) + column.
SIMT_KERNEL void load_scattered(LoadMatrixArgs a) {
  Words4* row = shared<ScatteredRows>().rows + slot_of(static_cast<size_t>(lane()));
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t first = 100 * static_cast<uint32_t>(lane()) + 2 * i;
    row->w[i] = first | (first + 1) << 16;
  }
  sync_warp();
  uint32_t r[4];
  load_matrix4(r, row);
  std::ranges::copy(r, a.plain + lane() * 4);
  load_matrix4_t(r, row);
  std::ranges::copy(r, a.transposed + lane() * 4);
}

TEST(SimtWords, LoadMatrix4SpreadsRowsOverTheWarp) {
  std::vector<uint32_t> plain(size_t{4} * kWarp), transposed(plain.size());
  test::run_kernel<load_scattered>({{}, kWarp, sizeof(ScatteredRows)}, LoadMatrixArgs{plain.data(), transposed.data()});
  for (uint32_t l = 0; l < kWarp; ++l)
    for (uint32_t m = 0; m < 4; ++m) {
      const auto at = [&](uint32_t row, uint32_t column) { return 100 * (8 * m + row) + column; };
      const uint32_t i = l / 4, j = l % 4 * 2;
      ASSERT_EQ(plain[l * 4 + m], at(i, j) | at(i, j + 1) << 16) << l << ", " << m;
      ASSERT_EQ(transposed[l * 4 + m], at(j, i) | at(j + 1, i) << 16) << l << ", " << m;
    }
}

struct ProductArgs {
  const uint16_t *a, *b, *columns;  // halves (16, 16) each; the last is b, transposed
  float *by_columns, *by_rows;      // (16, 16): a b, with b from its columns and from its rows
};
struct Tiles {
  alignas(16) uint16_t a[16][16], b[16][16], columns[16][16];
};

// Lane i names row i % 8 of 8 by 8 elements. Those of B follow each other along k, two for each half of the columns.
SIMT_KERNEL void multiply_tiles(ProductArgs args) {
  auto& s = shared<Tiles>();
  const int row = lane() / 2, column = lane() % 2 * 8, i = lane() % 8, odd = lane() / 8 % 2 * 8, upper = lane() / 16 * 8;
  copy_async16(&s.a[row][column], args.a + row * 16 + column);
  copy_async16(&s.b[row][column], args.b + row * 16 + column);
  copy_async16(&s.columns[row][column], args.columns + row * 16 + column);
  copy_commit();
  copy_wait<0>();
  sync_warp();
  uint32_t a[4], columns[4], rows[4];
  load_matrix4(a, &s.a[odd + i][upper]);
  load_matrix4(columns, &s.columns[upper + i][odd]);
  load_matrix4_t(rows, &s.b[odd + i][upper]);
  for (int half = 0; half < 2; ++half) {
    float c[4] = {}, d[4] = {};
    mma_f16(c, a, {columns[2 * half], columns[2 * half + 1]});
    mma_f16(d, a, {rows[2 * half], rows[2 * half + 1]});
    for (int e = 0; e < 4; ++e) {
      const int at = (lane() / 4 + e / 2 * 8) * 16 + half * 8 + lane() % 4 * 2 + e % 2;
      args.by_columns[at] = c[e];
      args.by_rows[at] = d[e];
    }
  }
}

TEST(SimtWords, MatricesOfSharedMemoryMeetInAProduct) {
  constexpr size_t kN = 16;
  alignas(16) std::array<uint16_t, kN * kN> a, b, columns;
  std::vector<float> want(kN * kN), by_columns(kN * kN), by_rows(kN * kN);
  std::mt19937 bits(7);
  const auto next = [&] { return to_f16(static_cast<float>(static_cast<int>(bits() % 193) - 96) / 8).bits; };
  std::ranges::generate(a, next);
  std::ranges::generate(b, next);
  for (size_t i = 0; i < kN * kN; ++i) columns[i % kN * kN + i / kN] = b[i];
  for (size_t i = 0; i < kN * kN; ++i)
    for (size_t k = 0; k < kN; ++k) want[i] += to_float(F16{a[i / kN * kN + k]}) * to_float(F16{b[k * kN + i % kN]});
  test::run_kernel<multiply_tiles>({{}, kWarp, sizeof(Tiles)},
                                   ProductArgs{a.data(), b.data(), columns.data(), by_columns.data(), by_rows.data()});
  EXPECT_EQ(by_columns, want);
  EXPECT_EQ(by_rows, want);
}

}  // namespace
}  // namespace skald::simt::mma_test
