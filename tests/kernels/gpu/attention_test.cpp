// Attention by pages: against plain loops in double precision, and the same bits by both tilings, for any number of rows.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/api/kv_page.h"
#include "kernels/gpu/attention.h"
#include "kernels/gpu/kernel_table.h"
#include "quant/f16/block.h"
#include "quant/q4_0/block.h"
#include "quant/q8_0/block.h"
#include "quant/registry.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"
#include "tests/support/random.h"

namespace skald::gpu::attention_test {
namespace {

using simt::host::Machine, simt::host::MachineOptions, simt::host::Order;

/// What a model's attention may be.
struct Shape {
  uint32_t format = BlockF16::kId;
  int64_t d = 64, kv_heads = 2, group = 3;
  Window window = {};
  float softcap = 0;
  bool sinks = false, alibi = false;
  int64_t kept = 0, dropped = 0, shift = 0;
};

std::string name(const Shape& s) {
  return std::string(find_format(s.format)->name) + " heads of " + std::to_string(s.d) + ", groups of " +
         std::to_string(s.group) + ", window " + std::to_string(s.window.size) + ", kept " + std::to_string(s.kept);
}

/// Sequences of several lengths, whose pages lie anywhere, and the numbers in them.
class Cache {
 public:
  Cache(const Shape& s, std::vector<int64_t> keys) : s_(s), format_(*find_format(s.format)), keys_(std::move(keys)) {
    const int64_t columns = columns_of(s.d), plane = kPageKeys * format_.bytes(columns), page = 2 * s.kv_heads * plane;
    row_ = format_.bytes(columns) - (format_.block == 1 ? 0 : columns / 32 * 2);
    for (size_t i = 0; i < keys_.size(); ++i) {
      const int64_t pages = (keys_[i] + kPageKeys - 1) / kPageKeys;
      memory_.emplace_back(static_cast<size_t>(pages * page / 16));
      auto* base = reinterpret_cast<std::byte*>(memory_.back().data());
      // What lies after the last key is no number.
      std::fill_n(reinterpret_cast<uint16_t*>(base), pages * page / 2, uint16_t{0x7e00});
      for (int64_t p = 0; p < pages; ++p) tables_.push_back(base + (pages - 1 - p) * page);
      fill(i, tables_.data() + tables_.size() - pages, plane);
    }
    size_t at = 0;
    for (const int64_t n : keys_) {
      std::byte* const* table = tables_.data() + at;
      views_.push_back({.k_pages = table,
                        .v_pages = table,
                        .k_offset = 0,
                        .v_offset = s.kv_heads * plane,
                        .k_head_stride = plane,
                        .v_head_stride = plane,
                        .k_stride = row_,
                        .v_stride = row_,
                        .kept = s.kept,
                        .begin = s.kept,
                        .shift = s.shift,
                        .dropped = s.dropped,
                        .k_format = s.format,
                        .v_format = s.format});
      at += static_cast<size_t>((n + kPageKeys - 1) / kPageKeys);
    }
  }
  const std::vector<SequenceKv>& views() const { return views_; }
  const float* key(int sequence, int64_t head, int64_t slot) const { return number(keys_numbers_, sequence, head, slot); }
  const float* value(int sequence, int64_t head, int64_t slot) const { return number(values_, sequence, head, slot); }

 private:
  const float* number(const std::vector<std::vector<float>>& of, int sequence, int64_t head, int64_t slot) const {
    const auto i = static_cast<size_t>(sequence);
    return of[i].data() + (head * keys_[i] + slot) * s_.d;
  }
  void fill(size_t sequence, std::byte* const* pages, int64_t plane) {
    for (const bool values : {false, true}) {
      const int64_t n = s_.kv_heads * keys_[sequence];
      std::vector<float> x = test::normal(n * s_.d, 10 * sequence + (values ? 2 : 1));
      for (int64_t i = 0; i < n; ++i) {
        const int64_t head = i / keys_[sequence], slot = i % keys_[sequence];
        std::byte* page = pages[slot / kPageKeys] + (values ? s_.kv_heads * plane : 0) + head * plane;
        store(x.data() + i * s_.d, page, slot % kPageKeys);
      }
      (values ? values_ : keys_numbers_).push_back(std::move(x));
    }
  }
  // The numbers become those that are stored: in rows, or the codes of a page's blocks and then their scales.
  void store(float* x, std::byte* page, int64_t key) const {
    const int64_t columns = columns_of(s_.d);
    std::vector<float> row(static_cast<size_t>(columns));
    std::vector<std::byte> stored(static_cast<size_t>(format_.bytes(columns)));
    std::copy_n(x, s_.d, row.begin());
    format_.encode(row.data(), stored.data(), columns);
    format_.decode(stored.data(), row.data(), columns);
    std::copy_n(row.begin(), s_.d, x);
    if (format_.block == 1) {
      std::ranges::copy(stored, page + key * row_);
      return;
    }
    const int64_t blocks = columns / 32, bytes = format_.bytes(32), codes = bytes - 2;
    for (int64_t i = 0; i < blocks; ++i) {
      const std::byte* block = stored.data() + i * bytes;
      std::copy_n(block, 2, page + kPageKeys * row_ + (key * blocks + i) * 2);
      std::copy_n(block + 2, codes, page + key * row_ + i * codes);
    }
  }
  int64_t columns_of(int64_t d) const { return format_.block == 1 ? d : (d + 31) / 32 * 32; }

  struct alignas(16) Block {
    std::byte bytes[16];
  };
  Shape s_;
  const Format& format_;
  std::vector<int64_t> keys_;
  int64_t row_;  // bytes of a row, or of its codes
  std::vector<std::vector<Block>> memory_;
  std::vector<std::byte*> tables_;
  std::vector<std::vector<float>> keys_numbers_, values_;
  std::vector<SequenceKv> views_;
};

/// Rows of a step: of which sequence, and where.
struct Row {
  int32_t sequence, position;
};

class Attend {
 public:
  Attend(const Shape& s, const std::vector<int64_t>& keys, std::vector<Row> rows)
      : s_(s), cache_(s, keys), rows_(std::move(rows)), most_keys_(*std::ranges::max_element(keys)) {
    const int64_t heads = s.kv_heads * s.group;
    for (Row& row : rows_) row.position += static_cast<int32_t>(s.shift);
    q_ = test::normal(std::ssize(rows_) * heads * s.d, 7);
    sinks_ = test::normal(heads, 8);
    slopes_.resize(static_cast<size_t>(heads));
    for (size_t i = 0; i < slopes_.size(); ++i) slopes_[i] = 0.02f * static_cast<float>(i + 1);
  }

  /// Rows [from, from + n), in a bucket of `most`, with or without the kernel for many rows.
  std::vector<float> run(size_t from, size_t n, int64_t most, bool tiled, MachineOptions options = {},
                         int64_t at_once = 1000) const {
    Machine machine(options);
    const int64_t heads = s_.kv_heads * s_.group, step = heads * s_.d;
    std::vector<int32_t> positions, sequences;
    for (size_t i = from; i < from + n; ++i) {
      positions.push_back(rows_[i].position);
      sequences.push_back(rows_[i].sequence);
    }
    const auto count = static_cast<int32_t>(n);
    std::vector<float> out(n * static_cast<size_t>(step), NAN);
    AttentionArgs a{.rows = {&count}, .step = {positions.data(), sequences.data(), cache_.views().data()}};
    a.q = {const_cast<float*>(q_.data()) + static_cast<int64_t>(from) * step, step};
    a.out = {out.data(), step};
    if (s_.sinks) a.sink_logits = sinks_.data();
    if (s_.alibi) a.slopes = slopes_.data();
    a.heads = heads;
    a.group = s_.group;
    a.d_k = a.d_v = s_.d;
    a.window = s_.window;
    a.scale = scale();
    a.softcap = s_.softcap;
    a.head_tiles = head_tiles(s_.group);
    a.window_rows = window_rows(s_.group);
    a.tiled = tiled;
    a.most_parts = most_keys_ / kPartKeys + 3;
    a.rows_at_once = std::min(most, at_once);
    std::vector<float> parts(static_cast<size_t>(a.rows_at_once * heads * a.most_parts * ((s_.d + 31) / 32 * 32 + 2)), NAN);
    std::vector<int> counters(static_cast<size_t>(most * heads));
    a.parts = parts.data();
    a.counters = counters.data();
    kernels().attention_parts[s_.format][width_index(s_.d)](machine.stream(), a, most);
    if (tiled) kernels().attention_tiles[s_.format][width_index(s_.d)](machine.stream(), a, most);
    machine.run();
    EXPECT_EQ(std::ranges::count(counters, 0), std::ssize(counters));
    return out;
  }

  std::vector<float> want() const {
    std::vector<float> out;
    for (size_t i = 0; i < rows_.size(); ++i)
      for (int64_t head = 0; head < s_.kv_heads * s_.group; ++head) {
        const std::vector<double> one = attend(i, head);
        out.insert(out.end(), one.begin(), one.end());
      }
    return out;
  }

 private:
  float scale() const { return 1 / std::sqrt(static_cast<float>(s_.d)); }
  static const GpuKernels& kernels() {
    static const GpuKernels all = gpu_kernels<simt::HostTarget>();
    return all;
  }
  double score(size_t row, int64_t head, int64_t slot, int64_t position) const {
    const float *q = q_.data() + (static_cast<int64_t>(row) * s_.kv_heads * s_.group + head) * s_.d,
                *k = cache_.key(rows_[row].sequence, head / s_.group, slot);
    double x = 0;
    for (int64_t i = 0; i < s_.d; ++i) x += static_cast<double>(q[i]) * static_cast<double>(k[i]);
    x *= static_cast<double>(scale());
    if (s_.softcap > 0) x = s_.softcap * std::tanh(x / s_.softcap);
    if (s_.alibi) x += slopes_[static_cast<size_t>(head)] * static_cast<double>(position - rows_[row].position);
    return x;
  }
  std::vector<double> attend(size_t row, int64_t head) const {
    const auto [sequence, position] = rows_[row];
    const int64_t end = position + 1 - s_.shift;
    int64_t begin = std::max<int64_t>(s_.kept, s_.window.size ? position + 1 - s_.window.size - s_.shift : 0);
    if (s_.window.chunk) begin = std::max(begin, position / s_.window.chunk * s_.window.chunk - s_.shift);
    std::vector<std::pair<double, int64_t>> scores;
    for (int64_t slot = 0; slot < std::min(s_.kept, end); ++slot)
      scores.emplace_back(score(row, head, slot, slot + s_.dropped), slot);
    for (int64_t slot = begin; slot < end; ++slot) scores.emplace_back(score(row, head, slot, slot + s_.shift), slot);
    double top = s_.sinks ? static_cast<double>(sinks_[static_cast<size_t>(head)]) : -1e300, total = 0;
    for (const auto& [x, slot] : scores) top = std::max(top, x);
    if (s_.sinks) total = std::exp(static_cast<double>(sinks_[static_cast<size_t>(head)]) - top);
    std::vector<double> out(static_cast<size_t>(s_.d));
    for (const auto& [x, slot] : scores) {
      const double weight = std::exp(x - top);
      total += weight;
      const float* v = cache_.value(sequence, head / s_.group, slot);
      for (size_t i = 0; i < out.size(); ++i) out[i] += weight * static_cast<double>(v[i]);
    }
    for (double& x : out) x /= total;
    return out;
  }

  Shape s_;
  Cache cache_;
  std::vector<Row> rows_;
  int64_t most_keys_;
  std::vector<float> q_, sinks_, slopes_;
};

/// A prompt's end in one sequence, single rows of others.
std::vector<Row> mixed_rows(int32_t less = 0) {
  std::vector<Row> rows;
  for (int32_t i = 0; i < 23; ++i) rows.push_back({0, 500 - less + i});
  rows.push_back({1, 0});
  for (int32_t i = 0; i < 6; ++i) rows.push_back({2, (less ? 100 : 250) + i});
  for (int32_t i = 0; i < 2; ++i) rows.push_back({3, 63 + i});
  return rows;
}
const std::vector<int64_t> kKeys = {523, 1, 256, 65};

class GpuAttention : public testing::TestWithParam<Shape> {};

const std::vector<Shape> kShapes = {
    {},
    {.d = 64, .kv_heads = 1, .group = 7, .alibi = true},
    {.d = 16, .group = 1, .window = {.size = 100}},
    {.d = 80, .group = 4, .softcap = 20},
    {.d = 96, .kv_heads = 1, .group = 2, .window = {.chunk = 128}},
    {.d = 128, .group = 4, .sinks = true},
    {.d = 128, .kv_heads = 1, .group = 16},
    {.d = 120, .kv_heads = 1, .group = 19},
    {.d = 256, .kv_heads = 1, .group = 4, .window = {.size = 300}},
    {.d = 64, .kv_heads = 1, .kept = 10, .dropped = 0, .shift = 0},
    {.d = 64, .kv_heads = 1, .kept = 10, .dropped = 192, .shift = 192},
    {.d = 16, .group = 1, .window = {.size = 100}, .shift = 64},
    {.format = BlockQ8_0::kId, .d = 64},
    {.format = BlockQ8_0::kId, .d = 100, .kv_heads = 1, .group = 5, .sinks = true},
    {.format = BlockQ8_0::kId, .d = 256, .kv_heads = 1, .group = 2},
    {.format = BlockQ4_0::kId, .d = 128, .kv_heads = 1, .group = 8},
    {.format = BlockQ8_0::kId, .d = 80, .kv_heads = 1, .group = 2, .window = {.size = 100}},
    {.format = BlockQ8_0::kId, .d = 128, .group = 4},
    {.format = BlockQ4_0::kId, .d = 64, .kept = 10, .dropped = 192, .shift = 192},
    {.format = BlockQ4_0::kId, .d = 96, .kv_heads = 1, .group = 16},
    {.format = BlockQ4_0::kId, .d = 256, .kv_heads = 1, .group = 3},
};

TEST_P(GpuAttention, IsThatOfPlainLoops) {
  const Attend attend(GetParam(), kKeys, mixed_rows());
  const std::vector<float> want = attend.want();
  EXPECT_TRUE(test::close_to(attend.run(0, 32, 32, false), want, 3e-3)) << name(GetParam());
}

TEST_P(GpuAttention, GivesARowTheBitsThatItHasAlone) {
  const Attend attend(GetParam(), kKeys, mixed_rows());
  const std::vector<float> all = attend.run(0, 32, 64, true);
  EXPECT_TRUE(test::same_bits(attend.run(0, 32, 32, false, {}, 7), all)) << "by parts";
  std::vector<float> pieces;
  for (size_t from = 0; from < 32;) {
    const size_t n = std::min<size_t>(32 - from, from % 3 ? 1 : 12);
    const std::vector<float> some = attend.run(from, n, 16, n > 1);
    pieces.insert(pieces.end(), some.begin(), some.end());
    from += n;
  }
  EXPECT_TRUE(test::same_bits(pieces, all)) << "in pieces";
}

class GpuAttentionOrders : public GpuAttention {};

TEST_P(GpuAttentionOrders, GiveTheSameBits) {
  const Attend attend(GetParam(), {173, 1, 106, 65}, mixed_rows(350));
  const std::vector<float> all = attend.run(0, 32, 64, true);
  for (MachineOptions options : test::kOneOfEachOrder)
    for (const bool late : {true, false}) {
      options.late_copies = late;
      EXPECT_TRUE(test::same_bits(attend.run(0, 32, 64, true, options), all)) << test::order_name(options) << late;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpuAttention, testing::ValuesIn(kShapes));
INSTANTIATE_TEST_SUITE_P(Shapes, GpuAttentionOrders,
                         testing::Values(kShapes[0], Shape{.d = 16, .kv_heads = 1, .group = 2, .kept = 10},
                                         Shape{.d = 256, .kv_heads = 1, .group = 1},
                                         Shape{.format = BlockQ8_0::kId, .d = 128, .kv_heads = 1, .group = 2},
                                         Shape{.format = BlockQ4_0::kId, .d = 64, .kv_heads = 1, .group = 2}));

}  // namespace
}  // namespace skald::gpu::attention_test
