// Kernels that make forms of what they write: the numbers that they write without, and the forms of these numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>

#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/row_forms.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"
#include "tests/support/random.h"

namespace skald::gpu::row_forms_test {
namespace {

using simt::host::Machine, simt::host::MachineOptions;

constexpr int64_t kRows = 6, kBucket = 8;

const GpuKernels& kernels() {
  static const GpuKernels all = gpu_kernels<simt::HostTarget>();
  return all;
}

/// Memory of all forms of rows, full of what is none.
class Forms {
 public:
  explicit Forms(int64_t n)
      : units_((n + kUnitColumns - 1) / kUnitColumns),
        tiles_((n + kTileColumns - 1) / kTileColumns),
        codes_(static_cast<size_t>(kBucket * units_ * kUnitColumns), int8_t{77}),
        scales_(static_cast<size_t>(kBucket * units_ * 4), 77.0f),
        sums_(scales_),
        f16_(static_cast<size_t>(kBucket / 4 * tiles_ * kTileBytes), std::byte{77}),
        bf16_(f16_) {}
  RowForms forms() {
    return {.coded = {codes_.data(), scales_.data(), sums_.data()},
            .f16 = f16_.data(),
            .bf16 = bf16_.data(),
            .units = units_,
            .tiles = tiles_};
  }
  bool operator==(const Forms&) const = default;

 private:
  int64_t units_, tiles_;
  std::vector<int8_t> codes_;
  std::vector<float> scales_, sums_;
  std::vector<std::byte> f16_, bf16_;
};

/// A kernel that writes rows of n numbers, and forms of them.
struct Writer {
  const char* name;
  std::function<void(Machine&, const int32_t& rows, int64_t n, const std::vector<float>& in, float* out, const RowForms&)>
      launch;
};

Matrix matrix_of(const std::vector<float>& x, int64_t n) { return {const_cast<float*>(x.data()), n}; }

const std::vector<Writer> kWriters = {
    {"RmsNorm",
     [](Machine& m, const int32_t& rows, int64_t n, const std::vector<float>& in, float* out, const RowForms& forms) {
       RmsNormArgs args{.rows = {&rows}, .x = matrix_of(in, n), .out = {out, n}, .weight = in.data(), .n = n, .eps = 1e-5f};
       args.forms = forms;
       kernels().rms_norm(m.stream(), args, kBucket);
     }},
    {"LayerNorm",
     [](Machine& m, const int32_t& rows, int64_t n, const std::vector<float>& in, float* out, const RowForms& forms) {
       LayerNormArgs args{.rows = {&rows}, .x = matrix_of(in, n), .out = {out, n}, .weight = in.data(), .bias = in.data()};
       args.n = n;
       args.eps = 1e-5f;
       args.forms = forms;
       kernels().layer_norm(m.stream(), args, kBucket);
     }},
    {"Activation",
     [](Machine& m, const int32_t& rows, int64_t n, const std::vector<float>& in, float* out, const RowForms& forms) {
       const UnaryArgs args{.rows = {&rows}, .x = matrix_of(in, n), .out = {out, n}, .n = n, .forms = forms};
       kernels().activation[static_cast<size_t>(Activation::kGelu)](m.stream(), args, kBucket);
     }},
    {"GatedUnit",
     [](Machine& m, const int32_t& rows, int64_t n, const std::vector<float>& in, float* out, const RowForms& forms) {
       GluArgs args{.rows = {&rows}, .gate = matrix_of(in, n), .up = matrix_of(in, n), .out = {out, n}, .n = n};
       args.forms = forms;
       kernels().glu[static_cast<size_t>(Activation::kSilu)](m.stream(), args, kBucket);
     }},
};

class GpuRowForms : public testing::TestWithParam<size_t> {};

TEST_P(GpuRowForms, AreThoseOfTheNumbersThatAreWritten) {
  const Writer& writer = kWriters[GetParam()];
  const auto rows = static_cast<int32_t>(kRows);
  for (const int64_t n : {32, 90, 160, 500, 1300}) {
    const std::vector<float> in = test::normal(kBucket * n, 3);
    std::vector<float> plain(in.size());
    Forms want(n);
    Machine machine;
    writer.launch(machine, rows, n, in, plain.data(), {});
    kernels().row_forms(machine.stream(), {{&rows}, matrix_of(plain, n), n, want.forms()}, kBucket);
    machine.run();
    for (const MachineOptions& options : test::kOneOfEachOrder) {
      Machine other(options);
      std::vector<float> out(in.size());
      Forms got(n);
      writer.launch(other, rows, n, in, out.data(), got.forms());
      other.run();
      EXPECT_TRUE(test::same_bits(out, plain)) << n << ", " << test::order_name(options);
      EXPECT_TRUE(got == want) << n << ", " << test::order_name(options);
    }
  }
}

// By weights of their own, and biases as these.
TEST(GpuNorms, AreThoseOfPlainLoops) {
  const auto rows = static_cast<int32_t>(kRows);
  for (const int64_t n : {90, 1300})
    for (const size_t norm : {0, 1}) {
      const std::vector<float> in = test::normal(kBucket * n, 3);
      std::vector<float> got(in.size()), want(in.size());
      Machine machine;
      kWriters[norm].launch(machine, rows, n, in, got.data(), {});
      machine.run();
      for (int64_t row = 0; row < rows; ++row) {
        const std::span<const float> x(in.data() + row * n, static_cast<size_t>(n));
        double mean = 0, squares = 0;
        for (const float v : x) mean += norm == 1 ? v / static_cast<double>(n) : 0;
        for (const float v : x) squares += (v - mean) * (v - mean);
        for (int64_t i = 0; i < n; ++i) {
          const auto at = static_cast<size_t>(i);
          const double y = (x[at] - mean) / std::sqrt(squares / static_cast<double>(n) + 1e-5);
          want[static_cast<size_t>(row * n + i)] = static_cast<float>(y * in[at] + (norm == 1 ? in[at] : 0));
        }
      }
      EXPECT_TRUE(test::close_to(got, want, 1e-5)) << kWriters[norm].name << ", " << n;
    }
}

INSTANTIATE_TEST_SUITE_P(All, GpuRowForms, testing::Range(size_t{0}, kWriters.size()),
                         [](const auto& info) { return std::string(kWriters[info.param].name); });

}  // namespace
}  // namespace skald::gpu::row_forms_test
