#include "kv/recurrent_pool.h"

#include <utility>

#include "base/error.h"
#include "base/reserve_more.h"

namespace skald {
namespace {

std::byte* raw(float* floats) { return reinterpret_cast<std::byte*>(floats); }

}  // namespace

RecurrentPool::Block RecurrentPool::take(const Block& from) {
  if (free_.empty()) {
    if (std::ssize(blocks_) >= max_blocks_) return nullptr;
    add_block();
  }
  const RecurrentBlock* const block = free_.back();
  free_.pop_back();
  fill(*block, from.get());
  return {block, [this](const RecurrentBlock* b) { free_.push_back(b); }};
}

void RecurrentPool::add_block() {
  reserve_more(free_, blocks_.size() + 1);  // so that giving back never allocates
  auto block = std::make_unique<RecurrentBlock>();
  for (const Piece& piece : pieces_) {
    std::unique_ptr<DeviceBuffer>& buffer = block->pieces_.emplace_back();
    if (!piece.floats) continue;
    buffer = piece.memory->allocate(piece.bytes());
    if (piece.lock && piece.memory->host_visible()) piece.lock->lock({buffer->data(), static_cast<size_t>(buffer->size())});
  }
  free_.push_back(blocks_.emplace_back(std::move(block)).get());
}

void RecurrentPool::fill(const RecurrentBlock& block, const RecurrentBlock* from) const {
  for (size_t m = 0; m < pieces_.size(); ++m) {
    const Piece& piece = pieces_[m];
    if (!piece.floats) continue;
    if (from)
      piece.memory->copy(raw(block.in(m)), raw(from->in(m)), piece.bytes());
    else
      piece.memory->clear(raw(block.in(m)), piece.bytes());
  }
}

void RecurrentPool::read(const RecurrentBlock& block, std::span<std::byte> bytes, size_t shard) const {
  SKALD_ASSERT(std::ssize(bytes) == block_bytes());
  std::byte* to = bytes.data();
  for (size_t m = 0; m < pieces_.size(); to += pieces_[m++].bytes())
    if (pieces_[m].floats) pieces_[m].memory->shard(shard).read(to, raw(block.in(m)), pieces_[m].bytes());
}

void RecurrentPool::write(const RecurrentBlock& block, std::span<const std::byte> bytes, size_t shard) const {
  SKALD_ASSERT(std::ssize(bytes) == block_bytes());
  const std::byte* from = bytes.data();
  for (size_t m = 0; m < pieces_.size(); from += pieces_[m++].bytes())
    if (pieces_[m].floats) pieces_[m].memory->shard(shard).write(raw(block.in(m)), from, pieces_[m].bytes());
}

int64_t RecurrentPool::block_bytes() const {
  int64_t sum = 0;
  for (const Piece& piece : pieces_) sum += piece.bytes();
  return sum;
}

void RecurrentPool::trim() {
  SKALD_ASSERT(taken() == 0);
  free_.clear();
  blocks_.clear();
}

}  // namespace skald
