// Products with weights in fragments: against plain loops in double precision, and the same bits for any number of rows.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

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

/// The experts of rows.
struct Choices {
  std::vector<int32_t> ids;  // (rows, of_row)
  int64_t of_row;
};

/// A weight (n, k) of random numbers, or several, and what rows of activations give with it.
class Product {
 public:
  Product(const FragmentLayout& layout, int64_t n, int64_t k, int64_t matrices = 1)
      : layout_(layout),
        format_(*find_format(layout.format)),
        n_(n),
        k_(k),
        matrices_(matrices),
        rows_(encoded_or_made_up(format_, test::normal(matrices * n * k, 1), 2, 1)),
        x_(test::normal(kMostRows * k, 2)),
        weights_(static_cast<size_t>(matrices * layout.bytes(n, k))) {
    std::byte* to = weights_.data();
    for (int64_t matrix = 0; matrix < matrices; ++matrix)
      for (int64_t row = 0; row < n; row += kPanelRows, to += layout.panel_bytes(k))
        layout.pack(
            {rows_.data() + (matrix * n + row) * format_.bytes(k), format_.bytes(k), std::min(kPanelRows, n - row), k}, to);
  }

  /// Rows [from, from + n) by the kernels, launched for a bucket of `most`.
  std::vector<float> run(int64_t from, int64_t n, int64_t most, MachineOptions options = {}, int64_t matrix = 0) const {
    Machine machine(options);
    machine.add_weights(weights_);
    const auto count = static_cast<int32_t>(n);
    std::vector<float> out(static_cast<size_t>(n * n_));
    Forms forms(*this, most);
    ProductArgs args = forms.make(machine, *this, count, from, most);
    args.add(part(matrix, {out.data(), n_}));
    kernels().product[layout_.format](machine.stream(), args, most);
    machine.run();
    return out;
  }

  /// The first rows by all matrices in one launch, the products with matrix i in columns i n on. Products with the last one
  /// are added to `added`.
  std::vector<float> run_together(int64_t n, const std::vector<float>& added, MachineOptions options = {}) const {
    Machine machine(options);
    machine.add_weights(weights_);
    const auto count = static_cast<int32_t>(n);
    std::vector<float> out(static_cast<size_t>(n * matrices_ * n_));
    Forms forms(*this, n);
    ProductArgs args = forms.make(machine, *this, count, 0, n);
    for (int64_t i = 0; i < matrices_; ++i) args.add(part(i, {out.data() + i * n_, matrices_ * n_}));
    args.parts[matrices_ - 1].added = {const_cast<float*>(added.data()), n_};
    kernels().product[layout_.format](machine.stream(), args, n);
    machine.run();
    return out;
  }

  /// The first rows by the experts of their choices, side by side, in jobs of `most` choices.
  std::vector<float> run_experts(const Choices& choices, int most, MachineOptions options = {}) const {
    Machine machine(options);
    machine.add_weights(weights_);
    const int64_t n_choices = std::ssize(choices.ids), rows = n_choices / choices.of_row;
    const auto count = static_cast<int32_t>(rows);
    std::vector<float> out(static_cast<size_t>(n_choices * n_));
    std::vector<ExpertJob> jobs(static_cast<size_t>(matrices_ + n_choices / most));
    std::vector<int32_t> sorted(choices.ids.size());
    Forms forms(*this, rows);
    ProductArgs args = forms.make(machine, *this, count, 0, rows);
    args.add(part(0, {out.data(), choices.of_row * n_}));
    args.jobs = {.list = jobs.data(), .choices = sorted.data(), .n = static_cast<int>(jobs.size()), .most = most};
    args.jobs.of_x = args.jobs.of_out = static_cast<int>(choices.of_row);
    SortExpertsArgs sort{.rows = {&count}, .choice = {choices.ids.data(), choices.of_row, choices.of_row}};
    sort.experts = static_cast<int>(matrices_);
    sort.jobs = jobs.data();
    sort.n_jobs = args.jobs.n;
    sort.most = most;
    sort.choices = sorted.data();
    kernels().sort_experts(machine.stream(), sort, rows);
    kernels().product[layout_.format](machine.stream(), args, rows);
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

  /// Rows of activations in the form that the weight wants.
  class Forms {
   public:
    Forms(const Product& p, int64_t most)
        : codes_(most * units(p) * 128),
          scales_(most * units(p) * 4),
          sums_(most * units(p) * 4),
          split_((most + 3) / 4 * tiles(p) * 512) {}
    ProductArgs make(Machine& machine, const Product& p, const int32_t& count, int64_t from, int64_t most) {
      ProductArgs args{.rows = {&count}};
      args.steps = static_cast<int>(p.layout_.steps(p.k_));
      const Matrix x{const_cast<float*>(p.x_.data()) + from * p.k_, p.k_};
      RowForms forms{.units = units(p), .tiles = tiles(p)};
      if (p.halves()) {
        args.split = split_.data();
        (p.layout_.format == BlockF16::kId ? forms.f16 : forms.bf16) = split_.data();
      } else {
        args.coded = forms.coded = {codes_.data(), scales_.data(), sums_.data()};
        args.units = static_cast<int>(units(p));
      }
      kernels().row_forms(machine.stream(), {{&count}, x, p.k_, forms}, most);
      return args;
    }

   private:
    static int64_t units(const Product& p) { return (p.k_ + 127) / 128; }
    static int64_t tiles(const Product& p) { return (p.k_ + 31) / 32; }
    Aligned<int8_t> codes_;
    Aligned<float> scales_, sums_;
    Aligned<std::byte> split_;
  };

  ProductPart part(int64_t matrix, const Matrix& out) const {
    ProductPart part{.weights = weights_.data() + matrix * layout_.bytes(n_, k_), .out = out};
    part.n = static_cast<int>(n_);
    return part;
  }
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
  int64_t n_, k_, matrices_;
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
  std::map<int64_t, std::vector<float>> alone;
  for (const int64_t row : {0, 1, 6, 7, 8, 15, 16, 32, 39}) alone[row] = product.run(row, 1, 1);
  for (const int64_t rows : {2, 4, 7, 8, 9, 16, 17, 33, 40})
    for (const int64_t bucket : rows == 17 ? std::vector<int64_t>{17, 128} : std::vector<int64_t>{rows}) {
      const std::vector<float> got = product.run(0, rows, bucket);
      for (const auto& [row, want] : alone) {
        if (row >= rows) break;
        EXPECT_TRUE(test::same_bits(std::span(got).subspan(static_cast<size_t>(row * kOutputs), kOutputs), want))
            << "row " << row << " of " << rows << ", in a bucket of " << bucket;
      }
    }
}

// Products with each expert alone. Expert 2 has no choice.
TEST_P(GpuProducts, OfExpertsHaveTheBitsOfProductsWithEach) {
  constexpr int64_t kOutputs = 21, kRows = 23, kExperts = 4;
  const Product product(*GetParam(), kOutputs, 512, kExperts);
  Choices choices{.ids = {}, .of_row = 2};
  std::vector<float> want;
  std::vector<std::vector<float>> by_expert;
  for (int64_t e = 0; e < kExperts; ++e) by_expert.push_back(product.run(0, kRows, kRows, {}, e));
  for (int64_t row = 0; row < kRows; ++row)
    for (const int32_t e : {row % 3 ? 3 : 1, row % 3 && row % 2 ? 1 : 0}) {
      choices.ids.push_back(e);
      const auto first = by_expert[static_cast<size_t>(e)].begin() + row * kOutputs;
      want.insert(want.end(), first, first + kOutputs);
    }
  for (const int most : {8, 16, 32})
    EXPECT_TRUE(test::same_bits(product.run_experts(choices, most), want)) << "jobs of " << most;
  for (const MachineOptions& options : test::kOneOfEachOrder)
    EXPECT_TRUE(test::same_bits(product.run_experts(choices, 16, options), want)) << test::order_name(options);
}

// Matrices of 21 rows end within a panel: the next begins with one of its own.
TEST_P(GpuProducts, OfSeveralWeightsHaveTheBitsOfEach) {
  constexpr int64_t kOutputs = 21, kMatrices = 3;
  const Product product(*GetParam(), kOutputs, 512, kMatrices);
  for (const int64_t rows : {1, 7, 14, 37}) {
    const std::vector<float> added = test::normal(rows * kOutputs, 5);
    std::vector<float> want(static_cast<size_t>(rows * kMatrices * kOutputs));
    for (int64_t m = 0; m < kMatrices; ++m) {
      const std::vector<float> one = product.run(0, rows, rows, {}, m);
      for (int64_t i = 0; i < rows * kOutputs; ++i) {
        const auto at = static_cast<size_t>(i);
        want[static_cast<size_t>((i / kOutputs * kMatrices + m) * kOutputs + i % kOutputs)] =
            m + 1 < kMatrices ? one[at] : one[at] + added[at];
      }
    }
    for (const MachineOptions& options : test::kOneOfEachOrder)
      EXPECT_TRUE(test::same_bits(product.run_together(rows, added, options), want))
          << rows << " rows, " << test::order_name(options);
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
  EXPECT_GE(fragment_layouts().size(), 19u);
  for (const FragmentLayout* layout : fragment_layouts()) EXPECT_TRUE(kernels.product[layout->format]) << layout->format;
}

INSTANTIATE_TEST_SUITE_P(All, GpuProducts, testing::ValuesIn(fragment_layouts().begin(), fragment_layouts().end()),
                         [](const auto& info) { return std::string(find_format(info.param->format)->name); });

}  // namespace
}  // namespace skald::gpu::products_test
