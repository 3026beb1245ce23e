// Keys that are rotated and stored in one launch lie where, and as, those of two launches do; so do queries and values.
#include <gtest/gtest.h>

#include "kernels/api/kv_page.h"
#include "kernels/gpu/kernel_table.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/f32/block.h"
#include "quant/q4_0/block.h"
#include "quant/q8_0/block.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"
#include "tests/support/random.h"

namespace skald::gpu::rope_append_test {
namespace {

using simt::host::Machine, simt::host::MachineOptions;

constexpr int64_t kRows = 5, kHeads = 5, kKvHeads = 3, kPages = 2, kFirst = kPageKeys - 3;  // rows on both pages

/// Heads of keys and values, and how they are stored and rotated.
struct Case {
  uint32_t format;
  int64_t d_k, d_v;
  bool hadamard = false, by_dimensions = false, halves = false, queries = true, values = true;
  int64_t dims = d_k, first = 0;
};

int64_t row_bytes(uint32_t format, int64_t d) {
  const int64_t blocks = (d + 31) / 32;
  if (format == BlockQ8_0::kId) return blocks * static_cast<int64_t>(sizeof(BlockQ8_0));
  if (format == BlockQ4_0::kId) return blocks * static_cast<int64_t>(sizeof(BlockQ4_0));
  return d * (format == BlockF32::kId ? 4 : 2);
}

// Bytes between rows: those of blocks are codes alone, whose scales come after all of a page.
int64_t stride(uint32_t format, int64_t d) {
  const int64_t blocks = (d + 31) / 32;
  if (format == BlockQ8_0::kId) return blocks * 32;
  return format == BlockQ4_0::kId ? blocks * 16 : row_bytes(format, d);
}

/// What launches read and write.
class Step {
 public:
  explicit Step(const Case& c)
      : case_(c),
        q_(test::normal(kRows * kHeads * c.d_k, 1)),
        k_(test::normal(kRows * kKvHeads * c.d_k, 2)),
        v_(test::normal(kRows * kKvHeads * c.d_v, 3)),
        table_(test::normal(kRows * c.dims, 4)),
        k_bytes_(row_bytes(c.format, c.d_k)),
        v_bytes_(row_bytes(c.format, c.d_v)) {
    for (int i = 0; i < kRows; ++i) positions_.push_back(static_cast<int32_t>(kFirst + i));
    for (int64_t page = 0; page < kPages; ++page) {
      for (auto [pages, places, bytes] :
           {std::tuple{&k_memory_, &k_pages_, k_bytes_}, std::tuple{&v_memory_, &v_pages_, v_bytes_}})
        places->push_back(pages->emplace_back(static_cast<size_t>(kKvHeads * kPageKeys * bytes)).data());
    }
    kv_ = {.k_pages = k_pages_.data(), .v_pages = v_pages_.data()};
    kv_.k_head_stride = kPageKeys * k_bytes_;
    kv_.v_head_stride = kPageKeys * v_bytes_;
    kv_.k_stride = c.by_dimensions ? kPageKeys * k_bytes_ / c.d_k : stride(c.format, c.d_k);
    kv_.v_stride = stride(c.format, c.d_v);
    kv_.k_format = kv_.v_format = c.format;
    kv_.k_by_dimensions = c.by_dimensions;
    kv_.k_rotated = kv_.v_rotated = c.hadamard;
  }

  void run_apart(const MachineOptions& options = {}) {
    Machine machine(options);
    std::vector<float> rotated(k_.size());
    if (case_.queries) kernels().rope(machine.stream(), rope(q_, q_, kHeads), kRows);
    kernels().rope(machine.stream(), rope(k_, rotated, kKvHeads), kRows);
    kernels().kv_append(machine.stream(), append(rotated), kRows);
    machine.run();
  }
  void run_at_once(const MachineOptions& options) {
    Machine machine(options);
    const RopeArgs of_queries = rope(q_, q_, case_.queries ? kHeads : 0);
    kernels().rope_append(machine.stream(), {append(k_), of_queries}, kRows);
    machine.run();
  }
  bool is_as(const Step& other) const {
    return test::same_bits(q_, other.q_) && k_memory_ == other.k_memory_ && v_memory_ == other.v_memory_;
  }

 private:
  static const GpuKernels& kernels() {
    static const GpuKernels all = gpu_kernels<simt::HostTarget>();
    return all;
  }
  RopeArgs rope(std::vector<float>& x, std::vector<float>& out, int64_t heads) {
    RopeArgs args{.rows = {&rows_}};
    args.x = {x.data(), std::ssize(x) / kRows};
    args.out = {out.data(), args.x.step};
    args.tables[args.n_tables++] = {table_.data(), case_.dims};
    args.heads = heads;
    args.d_head = case_.d_k;
    args.first = case_.first;
    args.dims = case_.dims;
    args.halves = case_.halves;
    return args;
  }
  KvAppendArgs append(std::vector<float>& keys) {
    KvAppendArgs args{.rows = {&rows_}, .step = {positions_.data(), sequences_.data(), &kv_, &of_step_}};
    args.k = {keys.data(), kKvHeads * case_.d_k};
    if (case_.values) args.v = {v_.data(), kKvHeads * case_.d_v};
    args.d_k = case_.d_k;
    args.d_v = case_.d_v;
    args.heads = kKvHeads;
    return args;
  }

  Case case_;
  std::vector<float> q_, k_, v_, table_;
  int64_t k_bytes_, v_bytes_;
  std::vector<int32_t> positions_, sequences_ = std::vector<int32_t>(kRows);
  std::vector<std::vector<std::byte>> k_memory_, v_memory_;
  std::vector<std::byte*> k_pages_, v_pages_;
  SequenceKv kv_;
  SequenceRows of_step_{0, kRows};
  int32_t rows_ = kRows - 1;  // the last one is not there
};

const Case kCases[] = {
    {.format = BlockF32::kId, .d_k = 48, .d_v = 40},
    {.format = BlockF16::kId, .d_k = 128, .d_v = 64, .halves = true},
    {.format = BlockF16::kId, .d_k = 64, .d_v = 64, .by_dimensions = true},
    {.format = BlockBf16::kId, .d_k = 80, .d_v = 80, .halves = true, .dims = 32},
    {.format = BlockBf16::kId, .d_k = 80, .d_v = 80, .queries = false, .dims = 32, .first = 16},
    {.format = BlockQ8_0::kId, .d_k = 256, .d_v = 96, .hadamard = true, .halves = true},
    {.format = BlockQ8_0::kId, .d_k = 48, .d_v = 40},
    {.format = BlockQ4_0::kId, .d_k = 64, .d_v = 128, .hadamard = true},
    {.format = BlockQ4_0::kId, .d_k = 1024, .d_v = 32, .hadamard = true, .values = false},
};

class GpuRopeAppend : public testing::TestWithParam<size_t> {};

TEST_P(GpuRopeAppend, StoresWhatTwoLaunchesStore) {
  Step want(kCases[GetParam()]);
  want.run_apart();
  EXPECT_FALSE(Step(kCases[GetParam()]).is_as(want)) << "nothing was done";
  for (const MachineOptions& options : test::kOneOfEachOrder) {
    Step got(kCases[GetParam()]);
    got.run_at_once(options);
    EXPECT_TRUE(got.is_as(want)) << test::order_name(options);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuRopeAppend, testing::Range(size_t{0}, std::size(kCases)));

}  // namespace
}  // namespace skald::gpu::rope_append_test
