#include "bench/gpu/sweep/trials.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "base/checked.h"
#include "kernels/api/kv_page.h"
#include "quant/f16/block.h"
#include "quant/fragments.h"

namespace skald::gpu {
namespace {

constexpr int64_t kPageBytes = kPageKeys * kPartsColumns * 2;  // of a head's keys, or of its values
constexpr int64_t kAlignment = 256;
constexpr int64_t kLeastPartKeys = kPageKeys;

template <class T>
void write(Device& device, const GpuBuffer& to, const std::vector<T>& values) {
  device.write(to.data(), reinterpret_cast<const std::byte*>(values.data()), std::ssize(values) * kBytesOf<T>);
}
template <class T>
T* as(const GpuBuffer& buffer) {
  return reinterpret_cast<T*>(buffer.data());
}
std::vector<float> read(Device& device, const GpuBuffer& from) {
  device.check_launches();
  std::vector<float> out(static_cast<size_t>(from.size() / kBytesOf<float>));
  device.read(reinterpret_cast<std::byte*>(out.data()), from.data(), from.size());
  return out;
}

}  // namespace

// The first numbers are copied over and over.
Pool::Pool(Device& device, int64_t bytes) : data_(device, bytes, Use::kWeights) {
  std::mt19937 random(1);
  std::vector<uint16_t> some(static_cast<size_t>(std::min<int64_t>(bytes, 16 << 20) / 2));
  for (uint16_t& x : some) x = static_cast<uint16_t>(random() & 0x3fff);
  write(device, data_, some);
  for (int64_t done = std::ssize(some) * 2; done < bytes;) {
    const int64_t more = std::min(done, bytes - done);
    device.copy(data_.data() + done, data_.data(), more);
    done += more;
  }
}

std::byte* Pool::at(int64_t turn, int64_t bytes) const {
  const int64_t places = std::max<int64_t>(1, size() / round_up(bytes, kAlignment));
  return data_.data() + turn % places * round_up(bytes, kAlignment);
}

ProductTrial::ProductTrial(Device& device, const Pool& pool, uint32_t format, int64_t n, int64_t k)
    : device_(device),
      pool_(pool),
      n_(n),
      bytes_(find_fragments(format)->bytes(n, k)),
      count_(device, kBytesOf<int32_t>, Use::kWork),
      out_(device, n * kBytesOf<float>, Use::kWork) {
  write<int32_t>(device, count_, {1});
  std::byte* const row = pool.at(0, bytes_);  // of any numbers
  args_ = {.rows = {as<int32_t>(count_)}};
  args_.coded = {reinterpret_cast<int8_t*>(row), reinterpret_cast<float*>(row), reinterpret_cast<float*>(row)};
  args_.split = row;
  args_.steps = static_cast<int>(find_fragments(format)->steps(k));
  args_.units = static_cast<int>(ceil_div(k, 128));
}

void ProductTrial::launch(const ProductVariant& variant, int64_t turn) const {
  ProductArgs args = args_;
  ProductPart part{.weights = pool_.at(turn, bytes_), .out = {as<float>(out_), n_}};
  part.n = static_cast<int>(n_);
  args.add(part);
  variant.launch(device_.stream(), args, 1);
}

std::vector<float> ProductTrial::result() const { return read(device_, out_); }

PartsTrial::PartsTrial(Device& device, const Pool& pool, const PartsShape& shape)
    : device_(device),
      bytes_(ceil_div(shape.keys, kPageKeys) * 2 * shape.kv_heads * kPageBytes),
      sequences_(std::max<int64_t>(1, pool.size() / bytes_)),
      count_(device, kBytesOf<int32_t>, Use::kWork),
      pages_(device, sequences_ * ceil_div(shape.keys, kPageKeys) * kBytesOf<std::byte*>, Use::kWork),
      views_(device, sequences_ * kBytesOf<SequenceKv>, Use::kWork),
      positions_(device, sequences_ * kBytesOf<int32_t>, Use::kWork),
      numbers_(device, sequences_ * kBytesOf<int32_t>, Use::kWork),
      parts_(device,
             shape.kv_heads * shape.group * (shape.keys / kLeastPartKeys + 3) * (kPartsColumns + 2) * kBytesOf<float>,
             Use::kWork),
      counters_(device, shape.kv_heads * shape.group * kBytesOf<int>, Use::kWork),
      out_(device, shape.kv_heads * shape.group * kPartsColumns * kBytesOf<float>, Use::kWork) {
  write<int32_t>(device, count_, {1});
  std::vector<int32_t> positions(static_cast<size_t>(sequences_), static_cast<int32_t>(shape.keys - 1)), numbers(positions);
  std::iota(numbers.begin(), numbers.end(), 0);
  write(device, positions_, positions);
  write(device, numbers_, numbers);
  point_at_pages(pool, shape, sequences_);
  args_ = {.rows = {as<int32_t>(count_)}};
  args_.q.data = reinterpret_cast<float*>(pool.at(0, bytes_));
  args_.out.data = as<float>(out_);
  args_.heads = shape.kv_heads * shape.group;
  args_.q.step = args_.out.step = args_.heads * kPartsColumns;
  args_.group = shape.group;
  args_.d_k = args_.d_v = kPartsColumns;
  args_.scale = 0.01f;
  args_.head_tiles = head_tiles(shape.group);
  args_.window_rows = window_rows(shape.group);
  args_.parts = as<float>(parts_);
  args_.counters = as<int>(counters_);
}

void PartsTrial::point_at_pages(const Pool& pool, const PartsShape& shape, int64_t sequences) {
  const int64_t pages = ceil_div(shape.keys, kPageKeys), page_bytes = bytes_ / pages;
  std::vector<std::byte*> table;
  std::vector<SequenceKv> views;
  for (int64_t i = 0; i < sequences; ++i) {
    auto* const of_sequence = as<std::byte*>(pages_) + std::ssize(table);
    for (int64_t p = 0; p < pages; ++p) table.push_back(pool.at(i, bytes_) + p * page_bytes);
    views.push_back({.k_pages = of_sequence,
                     .v_pages = of_sequence,
                     .v_offset = shape.kv_heads * kPageBytes,
                     .k_head_stride = kPageBytes,
                     .v_head_stride = kPageBytes,
                     .k_stride = kPartsColumns * 2,
                     .v_stride = kPartsColumns * 2,
                     .k_format = BlockF16::kId,
                     .v_format = BlockF16::kId});
  }
  write(device_, pages_, table);
  write(device_, views_, views);
}

void PartsTrial::launch(const PartsVariant& variant, int64_t turn) const {
  const int64_t sequence = turn % sequences_, keys = bytes_ / (args_.heads / args_.group * 2 * kPartsColumns * 2);
  AttentionArgs args = args_;
  args.step = {as<int32_t>(positions_) + sequence, as<int32_t>(numbers_) + sequence, as<SequenceKv>(views_)};
  args.most_parts = keys / (variant.cut.pages * kPageKeys) + 3;
  variant.launch(device_.stream(), args, 1);
}

std::vector<float> PartsTrial::result() const { return read(device_, out_); }

double seconds_of(Device& device, double seconds, const std::function<void(int64_t turn)>& launch) {
  constexpr int kRounds = 3;
  int64_t turn = 0;
  const auto seconds_of_some = [&](int64_t n) {
    const double all = device.seconds([&] {
      for (int64_t i = 0; i < n; ++i) launch(turn++);
    });
    device.check_launches();
    return all / static_cast<double>(n);
  };
  seconds_of_some(1);
  const auto n = static_cast<int64_t>(std::clamp(seconds / std::max(seconds_of_some(2), 1e-6), 2.0, 1e4));
  double least = seconds_of_some(n);
  for (int i = 1; i < kRounds; ++i) least = std::min(least, seconds_of_some(n));
  return least;
}

}  // namespace skald::gpu
