// Products with weights in fragments: against plain loops in double precision, and the same bits for any number of rows.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/gpu/kernel_table.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/fragments.h"
#include "quant/made_up.h"
#include "quant/registry.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"
#include "tests/support/random.h"
#include "tests/support/tiers.h"

namespace skald::gpu::products_test {
namespace {

using simt::host::Machine, simt::host::MachineOptions;

constexpr int64_t kMostRows = 40;

/// A weight (n, k) of random numbers, and what rows of activations give with it.
class Product {
 public:
  Product(const FragmentLayout& layout, int64_t n, int64_t k)
      : layout_(layout),
        format_(*find_format(layout.format)),
        n_(n),
        k_(k),
        rows_(encoded_or_made_up(format_, test::normal(n * k, 1), 2, 1)),
        x_(test::normal(kMostRows * k, 2)),
        weights_(static_cast<size_t>(layout.bytes(n, k))) {
    for (int64_t row = 0; row < n; row += kPanelRows)
      layout.pack({rows_.data() + row * format_.bytes(k), format_.bytes(k), std::min(kPanelRows, n - row), k},
                  weights_.data() + row / kPanelRows * layout.panel_bytes(k));
  }

  /// Rows [from, from + n) by the kernels, launched for a bucket of `most`.
  std::vector<float> run(int64_t from, int64_t n, int64_t most, MachineOptions options = {}) const {
    Machine machine(options);
    machine.add_weights(weights_);
    const auto count = static_cast<int32_t>(n);
    const Matrix x{const_cast<float*>(x_.data()) + from * k_, k_};
    std::vector<float> out(static_cast<size_t>(n * n_));
    ProductArgs args{.rows = {&count}, .weights = weights_.data(), .out = {out.data(), n_}, .n = static_cast<int>(n_)};
    args.steps = static_cast<int>(layout_.steps(k_));
    const int64_t units = (k_ + 127) / 128, tiles = (k_ + 31) / 32;
    Aligned<int8_t> codes(n * units * 128);
    Aligned<float> scales(n * units * 4), sums(n * units * 4);
    Aligned<std::byte> split((most + 31) / 32 * 8 * tiles * 512);
    if (halves()) {
      args.split = split.data();
      kernels().split_rows[layout_.format](machine.stream(), {{&count}, x, k_, tiles, split.data()}, most);
    } else {
      args.coded = {codes.data(), scales.data(), sums.data()};
      args.units = static_cast<int>(units);
      kernels().code_rows(machine.stream(), {{&count}, x, k_, units, args.coded}, most);
    }
    kernels().product[layout_.format](machine.stream(), args, most);
    machine.run();
    return out;
  }

  /// Rows [from, from + n) by plain loops, over activations as the kernels meet them.
  std::vector<float> want(int64_t from, int64_t n) const {
    std::vector<float> w(static_cast<size_t>(n_ * k_)), out;
    format_.decode(rows_.data(), w.data(), n_ * k_);
    for (int64_t row = from; row < from + n; ++row) {
      const std::vector<double> x = activations(row);
      for (int64_t i = 0; i < n_; ++i) {
        double sum = 0;
        for (int64_t c = 0; c < k_; ++c)
          sum += static_cast<double>(w[static_cast<size_t>(i * k_ + c)]) * x[static_cast<size_t>(c)];
        out.push_back(static_cast<float>(sum));
      }
    }
    return out;
  }

 private:
  template <class T>
  struct alignas(16) Block16 {
    T values[16 / sizeof(T)];
  };
  /// At a multiple of 16 bytes, and as long as asked for: sanitizers see what lies outside.
  template <class T>
  class Aligned {
   public:
    explicit Aligned(int64_t n) : blocks_(static_cast<size_t>(n) * sizeof(T) / 16) {}
    T* data() { return reinterpret_cast<T*>(blocks_.data()); }

   private:
    std::vector<Block16<T>> blocks_;
  };

  bool halves() const { return layout_.format == BlockF16::kId || layout_.format == BlockBf16::kId; }
  static const GpuKernels& kernels() {
    static const GpuKernels all = gpu_kernels<simt::HostTarget>();
    return all;
  }

  std::vector<double> activations(int64_t row) const {
    std::vector<double> x(x_.begin() + row * k_, x_.begin() + (row + 1) * k_);
    for (size_t block = 0; !halves() && block < x.size(); block += 32) {
      float largest = 0;
      for (size_t i = block; i < block + 32; ++i) largest = std::max(largest, std::abs(static_cast<float>(x[i])));
      const float scale = largest / 127.0f, inverse = 1.0f / scale;
      for (size_t i = block; i < block + 32; ++i)
        x[i] = static_cast<double>(scale) * std::nearbyint(static_cast<float>(x[i]) * inverse);
    }
    return x;
  }

  const FragmentLayout& layout_;
  const Format& format_;
  int64_t n_, k_;
  std::vector<std::byte> rows_;
  std::vector<float> x_;
  std::vector<std::byte> weights_;
};

class GpuProducts : public testing::TestWithParam<const FragmentLayout*> {};

TEST_P(GpuProducts, AreThoseOfPlainLoops) {
  const int64_t odd = find_format(GetParam()->format)->block * 5;  // fills no whole steps where these have several blocks
  for (const auto& [n, k] : {std::pair<int64_t, int64_t>{37, 512}, {16, odd}, {130, 2304}}) {
    const Product product(*GetParam(), n, k);
    for (const int64_t rows : {1, 5, 12, 37})
      EXPECT_TRUE(test::close_to(product.run(3, rows, rows), product.want(3, rows), 2e-3))
          << n << " x " << k << ", " << rows;
  }
}

TEST_P(GpuProducts, GiveARowTheBitsThatItHasAlone) {
  constexpr int64_t kOutputs = 21;
  const Product product(*GetParam(), kOutputs, 768);
  std::vector<float> alone;
  for (int64_t row = 0; row < kMostRows; ++row) {
    const std::vector<float> one = product.run(row, 1, 1);
    alone.insert(alone.end(), one.begin(), one.end());
  }
  for (const int64_t rows : {2, 4, 7, 8, 9, 16, 17, 33, 40}) {
    const std::vector<float> want(alone.begin(), alone.begin() + rows * kOutputs);
    EXPECT_TRUE(test::same_bits(product.run(0, rows, rows), want)) << rows << " rows";
    EXPECT_TRUE(test::same_bits(product.run(0, rows, 128), want)) << rows << " rows of a bucket of 128";
  }
}

TEST_P(GpuProducts, HaveTheSameBitsInEveryOrder) {
  const Product product(*GetParam(), 37, 512);
  for (const int64_t rows : {3, 40}) {
    const std::vector<float> want = product.run(0, rows, rows);
    for (const MachineOptions& options : test::kOneOfEachOrder)
      EXPECT_TRUE(test::same_bits(product.run(0, rows, rows, options), want)) << test::order_name(options);
  }
}

TEST(GpuFragments, HaveAKernelForEachLayout) {
  const GpuKernels kernels = gpu_kernels<simt::HostTarget>();
  EXPECT_GE(fragment_layouts().size(), 16u);
  for (const FragmentLayout* layout : fragment_layouts()) EXPECT_TRUE(kernels.product[layout->format]) << layout->format;
}

INSTANTIATE_TEST_SUITE_P(All, GpuProducts, testing::ValuesIn(fragment_layouts().begin(), fragment_layouts().end()),
                         [](const auto& info) { return std::string(find_format(info.param->format)->name); });

}  // namespace
}  // namespace skald::gpu::products_test
