#include "kv/recurrent_pool.h"

#include <utility>

#include "base/error.h"
#include "base/reserve_more.h"

namespace skald {

RecurrentPool::Block RecurrentPool::take(const Block& from) {
  if (free_.empty()) {
    if (std::ssize(blocks_) >= max_blocks_) return nullptr;
    reserve_more(free_, blocks_.size() + 1);  // so that giving back never allocates
    std::unique_ptr<DeviceBuffer> block = memory_.allocate(block_bytes());
    if (lock_) lock_->lock({block->data(), static_cast<size_t>(block->size())});
    free_.push_back(reinterpret_cast<float*>(blocks_.emplace_back(std::move(block))->data()));
  }
  float* floats = free_.back();
  free_.pop_back();
  auto* bytes = reinterpret_cast<std::byte*>(floats);
  if (from)
    memory_.copy(bytes, reinterpret_cast<const std::byte*>(from.get()), block_bytes());
  else
    memory_.clear(bytes, block_bytes());
  return {floats, [this](float* block) { free_.push_back(block); }};
}

void RecurrentPool::trim() {
  SKALD_ASSERT(taken() == 0);
  free_.clear();
  blocks_.clear();
}

}  // namespace skald
