// Matmul over panels, of every format on every tier: against sums in double, rows that do not depend on their neighbours,
// exact extremes; and that packing loses nothing.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "quant/f16/block.h"
#include "quant/made_up.h"
#include "quant/panels.h"
#include "quant/q8_0/block.h"
#include "quant/registry.h"
#include "tests/kernels/activations.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald::packed_matmul_test {
namespace {

using test::Activations;

constexpr int64_t kMaxRows = 83, kMaxTokens = 43;  // beyond one tile of rows and of tokens, with remainders of both

/// A problem of the largest size; smaller ones are its upper left corners.
class Problem {
 public:
  Problem(const Format& format, ActFormat act, int64_t k, float spread)
      : format_(format),
        layout_(*find_panels(format)),
        act_(act),
        k_(k),
        rows_(encoded_or_made_up(format, test::normal(kMaxRows * k, 1, spread), 2 * spread)),
        panels_(layout_.bytes(kMaxRows, k)),
        x_(act, test::normal(kMaxTokens * k, 2), kMaxTokens, k) {
    for (int64_t r = 0; r < kMaxRows; r += kPanelRows)
      layout_.pack({rows_.data() + format.bytes(r * k), format.bytes(k), std::min(kPanelRows, kMaxRows - r), k},
                   panels_.data() + r / kPanelRows * layout_.panel_bytes(k));
    EXPECT_TRUE(panels_.intact());
  }

  PackedMatmulArgs args(float* y, int64_t y_stride, int64_t n, int64_t m) const {
    return {.panels = panels_.data(),
            .panel_stride = layout_.panel_bytes(k_),
            .x = x_.bytes.data(),
            .x_stride = x_.stride,
            .x_chunk = 0,
            .y = y,
            .y_stride = y_stride,
            .n = n,
            .m = m,
            .k = k_};
  }

  /// The same with the activations in pieces of kChunkColumns; `pieces` holds them.
  PackedMatmulArgs chunked(std::vector<std::byte>& pieces, float* y, int64_t n, int64_t m) const {
    const int64_t size = act_ == ActFormat::kBf16 ? 2 : 4, piece = kChunkColumns * size, row = test::act_row_bytes(act_, k_);
    PackedMatmulArgs a = args(y, n, n, m);
    pieces.assign(static_cast<size_t>((row + piece - 1) / piece * piece * m), std::byte{0xff});
    for (int64_t c = 0; c * piece < row; ++c)
      for (int64_t t = 0; t < m; ++t)
        std::memcpy(pieces.data() + (c * m + t) * piece, x_.bytes.data() + t * x_.stride + c * piece,
                    static_cast<size_t>(std::min(piece, row - c * piece)));
    a.x = pieces.data();
    a.x_stride = piece;
    a.x_chunk = m * piece;
    return a;
  }

  /// The wanted y (kMaxTokens, kMaxRows), and how far off it may be.
  void reference(std::vector<float>& want, std::vector<double>& limits) const {
    std::vector<float> row(static_cast<size_t>(k_));
    want.resize(kMaxTokens * kMaxRows);
    limits.resize(want.size());
    for (int64_t r = 0; r < kMaxRows; ++r) {
      format_.decode(rows_.data() + format_.bytes(r * k_), row.data(), k_);
      for (int64_t t = 0; t < kMaxTokens; ++t) {
        const test::Dot dot(row, std::span(x_.values.data() + t * k_, static_cast<size_t>(k_)));
        const auto at = static_cast<size_t>(t * kMaxRows + r);
        want[at] = static_cast<float>(dot.sum);
        limits[at] = dot.limit(4 * std::sqrt(static_cast<double>(k_))) + rounding_of(row, t);
      }
    }
  }

 private:
  /// Where weights become integers of 16 bits: half a unit of each, 2^-12 of its block's largest at most, by its activation.
  double rounding_of(std::span<const float> row, int64_t t) const {
    if (act_ != ActFormat::kQ16) return 0;
    double sum = 0;
    for (int64_t first = 0; first < k_; first += kActQ16Block) {
      const int64_t end = std::min(first + kActQ16Block, k_);
      double largest = 0, activations = 0;
      for (int64_t i = first; i < end; ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(row[static_cast<size_t>(i)])));
        activations += std::abs(x_.values[static_cast<size_t>(t * k_ + i)]);
      }
      sum += largest * 0x1p-13 * activations;
    }
    return sum;
  }

  const Format& format_;
  const PanelLayout& layout_;
  ActFormat act_;
  int64_t k_;
  std::vector<std::byte> rows_;
  test::Guarded<std::byte> panels_;
  Activations x_;
};

class PackedMatmul : public test::TierTestWith<std::tuple<const Tier*, const Format*>> {
 protected:
  const Format& format() const { return *std::get<1>(GetParam()); }
  ActFormat act() const { return kernels().packed_act[format().id]; }
  PackedMatmulFn matmul() const { return kernels().packed_matmul[format().id]; }

  /// The sizes of k that the format and its activations allow.
  std::vector<int64_t> depths() const {
    std::vector<int64_t> out;
    for (int64_t k : {1, 7, 31, 32, 33, 64, 96, 100, 128, 160, 256, 300, 384, 768, 1056})
      if (k % format().block == 0) out.push_back(k);
    return out;
  }

  void compare_with_double(int64_t k, float spread) const {
    const Problem problem(format(), act(), k, spread);
    std::vector<float> want;
    std::vector<double> limits;
    problem.reference(want, limits);
    test::Guarded<float> y(kMaxTokens * kMaxRows);
    matmul()(problem.args(y.data(), kMaxRows, kMaxRows, kMaxTokens));
    EXPECT_TRUE(test::close_to(y.values(), want, limits)) << "k = " << k;
    EXPECT_TRUE(y.intact()) << "k = " << k;
  }
};

TEST_P(PackedMatmul, AgreesWithSumsInDouble) {
  ASSERT_NE(matmul(), nullptr);
  ASSERT_FALSE(depths().empty());
  for (int64_t k : depths()) compare_with_double(k, 0.5f);
}

// Halves below 2^-14 are denormal: they must not count as zero.
TEST_P(PackedMatmul, KeepsSmallWeights) {
  for (int64_t k : depths()) compare_with_double(k, 4e-6f);
}

TEST_P(PackedMatmul, ATokensResultIsTheSameWhateverItsNeighbours) {
  constexpr int64_t kGap = 3;
  for (int64_t k : depths()) {
    const Problem problem(format(), act(), k, 0.5f);
    std::vector<float> all(kMaxTokens * kMaxRows);
    matmul()(problem.args(all.data(), kMaxRows, kMaxRows, kMaxTokens));
    for (int64_t n : {1, 15, 16, 17, 40, 83})
      for (int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 24, 25, 28, 31}) {
        test::Guarded<float> y(m * (n + kGap) - kGap);
        matmul()(problem.args(y.data(), n + kGap, n, m));
        const std::string size = "n = " + std::to_string(n) + ", m = " + std::to_string(m) + ", k = " + std::to_string(k);
        ASSERT_TRUE(y.intact()) << size;
        for (int64_t t = 0; t < m; ++t) {
          const std::span got(y.data() + t * (n + kGap), static_cast<size_t>(n));
          const std::span want(all.data() + t * kMaxRows, static_cast<size_t>(n));
          ASSERT_TRUE(test::same_bits(got, want)) << "token " << t << " of " << size;
          for (int64_t i = n; i < n + kGap && t + 1 < m; ++i) ASSERT_TRUE(y.untouched(t * (n + kGap) + i)) << size;
        }
      }
  }
}

TEST_P(PackedMatmul, ASingleTokensResultIsTheSameWithAndWithoutPrefetches) {
  for (int64_t k : depths()) {
    const Problem problem(format(), act(), k, 0.5f);
    std::vector<float> asked(kMaxRows), left_alone(kMaxRows);
    PackedMatmulArgs args = problem.args(asked.data(), kMaxRows, kMaxRows, 1);
    matmul()(args);
    args.y = left_alone.data();
    args.ahead = 0;
    matmul()(args);
    EXPECT_TRUE(test::same_bits(left_alone, asked)) << "k = " << k;
  }
}

TEST_P(PackedMatmul, ActivationsInPiecesGiveTheSameBits) {
  if (act() == ActFormat::kQ8 || act() == ActFormat::kQ16) GTEST_SKIP() << "quantised activations are whole rows";
  for (int64_t k : depths()) {
    const Problem problem(format(), act(), k, 0.5f);
    std::vector<std::byte> pieces;
    std::vector<float> whole(kMaxTokens * kMaxRows), in_pieces(whole.size());
    matmul()(problem.args(whole.data(), kMaxRows, kMaxRows, kMaxTokens));
    matmul()(problem.chunked(pieces, in_pieces.data(), kMaxRows, kMaxTokens));
    EXPECT_TRUE(test::same_bits(in_pieces, whole)) << "k = " << k;
  }
}

std::vector<const Format*> packed_formats() {
  std::vector<const Format*> out;
  for (const PanelLayout* p : panel_layouts()) out.push_back(find_format(p->format));
  return out;
}

std::string case_name(const testing::TestParamInfo<std::tuple<const Tier*, const Format*>>& info) {
  return std::string(std::get<0>(info.param)->name) + "_" + std::string(std::get<1>(info.param)->name);
}

INSTANTIATE_TEST_SUITE_P(All, PackedMatmul,
                         testing::Combine(testing::ValuesIn(tiers()), testing::ValuesIn(packed_formats())), case_name);

using PackedMatmulInt8 = test::TierTest;

// The largest products of bytes: no sum may saturate.
TEST_P(PackedMatmulInt8, ExtremeCodesAreExact) {
  struct Extreme {
    int8_t weight, activation;
  };
  constexpr int64_t kDepth = 96;
  const PanelLayout& layout = *find_panels(*find_format("q8_0"));
  for (const Extreme e : {Extreme{-128, 127}, {-128, -127}, {127, 127}, {127, -127}, {-127, -127}, {0, 127}, {-128, 0}})
    for (int64_t m : {1, 30}) {
      std::array<BlockQ8_0, kDepth / 32> w;
      for (BlockQ8_0& b : w) {
        b.d = 0x3c00;  // 1
        std::fill(std::begin(b.q), std::end(b.q), e.weight);
      }
      std::vector<std::byte> panel(static_cast<size_t>(layout.panel_bytes(kDepth)));
      layout.pack({reinterpret_cast<const std::byte*>(w.data()), sizeof w, 1, kDepth}, panel.data());
      alignas(64) std::array<std::byte, act_q8_bytes(kDepth)> x{};
      std::memset(x.data(), e.activation, kDepth);
      const float ones[kDepth / 32] = {1, 1, 1};
      const int32_t start = -128 * 32 * e.activation, starts[kDepth / 32] = {start, start, start};
      std::memcpy(x.data() + kDepth, ones, sizeof ones);
      std::memcpy(x.data() + kDepth + sizeof ones, starts, sizeof starts);
      const int32_t negative = e.activation < 0 ? -32 * e.activation : 0,
                    negatives[kDepth / 32] = {negative, negative, negative};
      std::memcpy(x.data() + ActQ8Row(kDepth).negatives, negatives, sizeof negatives);
      std::vector<float> y(static_cast<size_t>(m));
      kernels().packed_matmul[BlockQ8_0::kId](
          {panel.data(), layout.panel_bytes(kDepth), x.data(), 0, 0, y.data(), 1, 1, m, kDepth});
      for (float got : y)
        EXPECT_EQ(got, static_cast<float>(kDepth * e.weight * e.activation)) << int{e.weight} << " x " << int{e.activation};
    }
}

using PackedMatmulInt16 = test::TierTest;

// A block of f16 weights, one value throughout, by activations of one value: their largest codes' products.
float product_of_halves(const KernelTable& kernels, uint16_t weight, float activation, int64_t m) {
  constexpr int64_t kDepth = 64;
  const PanelLayout& layout = *find_panels(*find_format("f16"));
  const std::vector<uint16_t> w(kDepth, weight);
  std::vector<std::byte> panel(static_cast<size_t>(layout.panel_bytes(kDepth)));
  layout.pack({reinterpret_cast<const std::byte*>(w.data()), kDepth * 2, 1, kDepth}, panel.data());
  const Activations x(ActFormat::kQ16, std::vector<float>(static_cast<size_t>(kDepth * m), activation), m, kDepth);
  std::vector<float> y(static_cast<size_t>(m));
  kernels.packed_matmul[BlockF16::kId](
      {panel.data(), layout.panel_bytes(kDepth), x.bytes.data(), x.stride, 0, y.data(), 1, 1, m, kDepth});
  for (const float got : y) EXPECT_TRUE(std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(y[0]));
  return y[0];
}

TEST_P(PackedMatmulInt16, LargestCodesDoNotOverflow) {
  if (kernels().packed_act[BlockF16::kId] != ActFormat::kQ16) GTEST_SKIP() << "this tier multiplies f16 as floats";
  constexpr uint16_t kMost = 0x7bff, kLeast = 0xfbff;  // +-65504
  for (int64_t m : {1, 30}) {
    EXPECT_FLOAT_EQ(product_of_halves(kernels(), kMost, 3, m), 65504.0f * 3 * 64);
    EXPECT_FLOAT_EQ(product_of_halves(kernels(), kMost, -3, m), 65504.0f * -3 * 64);
    EXPECT_FLOAT_EQ(product_of_halves(kernels(), kLeast, -3, m), 65504.0f * 3 * 64);
  }
}

TEST_P(PackedMatmulInt16, WeightsThatAreNotFiniteDoNotPassForNumbers) {
  if (kernels().packed_act[BlockF16::kId] != ActFormat::kQ16) GTEST_SKIP() << "this tier multiplies f16 as floats";
  for (uint16_t weight : {0x7c00, 0xfc00, 0x7e00})
    for (int64_t m : {1, 30}) EXPECT_FALSE(std::isfinite(product_of_halves(kernels(), weight, 1, m)));
}

INSTANTIATE_TEST_SUITE_P(All, PackedMatmulInt16, testing::ValuesIn(tiers()), test::tier_name);

// Blocks of one byte repeated, among them the largest codes and scales that are not numbers: finite results are exact sums
// of bytes. A scale that is not finite changes no row but its own lane's.
TEST_P(PackedMatmulInt8, BlocksOfOneByteRepeated) {
  constexpr int64_t kDepth = 256, kRows = 16;
  for (const PanelLayout* layout : panel_layouts()) {
    const Format& format = *find_format(layout->format);
    if (format.block == 1) continue;
    const Activations x(kernels().packed_act[format.id], test::normal(kDepth, 5), 1, kDepth);
    std::vector<std::byte> rows(static_cast<size_t>(format.bytes(kDepth) * kRows));
    for (int64_t r = 0; r < kRows; ++r) {
      constexpr uint8_t kBytes[kRows] = {0,    0xff, 0x7f, 0x80, 0x0f, 0xf0, 0x7c, 0xfc,
                                         0x55, 0xaa, 1,    2,    0x3c, 0x7e, 0x40, 0x99};
      std::memset(rows.data() + r * format.bytes(kDepth), kBytes[r], static_cast<size_t>(format.bytes(kDepth)));
    }
    std::vector<std::byte> panel(static_cast<size_t>(layout->panel_bytes(kDepth)));
    layout->pack({rows.data(), format.bytes(kDepth), kRows, kDepth}, panel.data());
    std::vector<float> y(kRows), w(kDepth);
    kernels().packed_matmul[format.id](
        {panel.data(), layout->panel_bytes(kDepth), x.bytes.data(), x.stride, 0, y.data(), kRows, kRows, 1, kDepth});
    for (int64_t r = 0; r < kRows; ++r) {
      format.decode(rows.data() + r * format.bytes(kDepth), w.data(), kDepth);
      const test::Dot dot(w, x.values);
      if (!(std::abs(dot.sum) < 1e30) || std::abs(dot.sum) < 1e-30) continue;  // mxfp4's powers may go beyond floats
      EXPECT_NEAR(static_cast<double>(y[static_cast<size_t>(r)]), dot.sum, dot.limit(64)) << format.name << ", row " << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackedMatmulInt8, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald::packed_matmul_test
