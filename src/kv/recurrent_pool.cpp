#include "kv/recurrent_pool.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

RecurrentPool::Block RecurrentPool::take(const Block& from) {
  if (free_.empty()) {
    if (std::ssize(blocks_) >= max_blocks_) return nullptr;
    free_.reserve(blocks_.size() + 1);  // so that giving back never allocates
    const Buffer& block = blocks_.emplace_back(floats_ * static_cast<int64_t>(sizeof(float)));
    if (lock_) lock_->lock({block.data(), static_cast<size_t>(block.size())});
    free_.push_back(block.as<float>());
  }
  float* floats = free_.back();
  free_.pop_back();
  if (from)
    std::copy_n(from.get(), floats_, floats);
  else
    std::fill_n(floats, floats_, 0.0f);
  return {floats, [this](float* block) { free_.push_back(block); }};
}

void RecurrentPool::trim() {
  SKALD_ASSERT(taken() == 0);
  free_.clear();
  blocks_.clear();
}

}  // namespace skald
