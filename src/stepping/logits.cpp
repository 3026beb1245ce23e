#include "stepping/logits.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/error.h"

namespace skald {

struct Logits::Copies {
  std::span<const float> row(const float* data, int64_t i, int64_t n) {
    const std::lock_guard lock(mutex);
    rows.resize(std::max(rows.size(), static_cast<size_t>(i) + 1));
    return read(rows[static_cast<size_t>(i)], data, n);
  }
  std::span<const float> all_of(const float* data, int64_t n) {
    const std::lock_guard lock(mutex);
    return read(all, data, n);
  }
  std::span<const float> read(std::vector<float>& to, const float* from, int64_t n) const {
    if (!to.empty()) return to;
    to.resize(static_cast<size_t>(n));
    memory.read(reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<const std::byte*>(from),
                n * static_cast<int64_t>(sizeof(float)));
    return to;
  }

  DeviceMemory& memory;
  std::mutex mutex = {};
  std::deque<std::vector<float>> rows = {};  // those that were asked for
  std::vector<float> all = {};               // once that were several
};

Logits::Logits(const TensorView& device, DeviceMemory& memory, std::span<const BestTokens> best)
    : rows_(device.rows()), cols_(device.cols()), step_(device.row_step()), data_(device.as<float>()), best_(best) {
  if (memory.host_visible()) return;
  copies_ = std::make_shared<Copies>(memory);
  if (best_.empty()) copies_->all_of(data_, rows_ * step_);
}

std::span<const float> Logits::row(int64_t i) const {
  if (copies_ && !best_.empty()) return copies_->row(data_ + i * step_, i, cols_);
  return {(copies_ ? copies_->all.data() : data_) + i * step_, static_cast<size_t>(cols_)};
}

std::span<const float> Logits::rows(int64_t first, int64_t n) const {
  SKALD_ASSERT(step_ == cols_);
  const float* const all = copies_ ? copies_->all_of(data_, rows_ * step_).data() : data_;
  return {all + first * step_, static_cast<size_t>(n * cols_)};
}

TokenId Logits::argmax(int64_t i) const {
  if (const BestTokens* const told = best(i)) return told->tokens[0];
  const std::span<const float> logits = row(i);
  return static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
}

}  // namespace skald
