#include "kernels/gpu/host/machine.h"

#include <algorithm>
#include <cstring>

#include "kernels/gpu/host/block.h"

namespace skald::simt::host {
namespace {

int64_t count(const Grid& grid) { return int64_t{grid.x} * grid.y * grid.z; }

Grid place(const Grid& grid, int64_t block) {
  const auto i = static_cast<uint64_t>(block);
  return {static_cast<unsigned>(i % grid.x), static_cast<unsigned>(i / grid.x % grid.y),
          static_cast<unsigned>(i / grid.x / grid.y)};
}

}  // namespace

Machine::Machine(MachineOptions options) : options_(options), random_(options.seed * 0x9e3779b97f4a7c15 + 1) {
  make_blocks();
}

void Machine::make_blocks() {
  for (auto& block : blocks_) block = std::make_unique<Block>(*this);
}

Machine::~Machine() = default;

uint64_t Machine::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

void Machine::remove_weights(const std::byte* first) {
  std::erase_if(weights_, [&](const auto& bytes) { return bytes.data() == first; });
}

bool Machine::holds_weights(const void* at, size_t bytes) const {
  const auto* begin = static_cast<const std::byte*>(at);
  return std::ranges::any_of(weights_,
                             [&](const auto& of) { return begin >= of.data() && begin + bytes <= of.data() + of.size(); });
}

void Machine::run_blocks(const Launch& launch, int64_t skipped) {
  const int64_t n = count(launch.shape.grid);
  for (size_t i = 0; i < 2; ++i) blocks_[i]->prepare(launch);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = options_.blocks_backward ? n - 1 - i : i;
    if (at != skipped) blocks_[static_cast<size_t>(i % 2)]->run(place(launch.shape.grid, at));
  }
  for (size_t i = 0; i < 2; ++i) blocks_[i]->join();
}

// Blocks that were left in the middle of a kernel cannot run another one.
void Machine::run() {
  for (auto& block : blocks_) block->enter();
  try {
    run_launches();
  } catch (...) {
    make_blocks();
    throw;
  }
  launches_.clear();
}

void Machine::run_launches() {
  int64_t begun = -1;  // the block of this launch that began already
  for (size_t i = 0; i < launches_.size(); ++i) {
    const int64_t next_begun = i + 1 < launches_.size() ? begin_early(i + 1) : -1;
    if (begun >= 0) {
      early_block(i).finish();
      early_block(i).join();
    }
    run_blocks(launches_[i], begun);
    begun = next_begun;
  }
}

// The number of a block that went to where it waits for the launches before; -1: none did.
int64_t Machine::begin_early(size_t launch) {
  const Launch& next = launches_[launch];
  const int64_t blocks = count(next.shape.grid);
  if (!options_.early_starts || !next.shape.early || blocks == 0) return -1;
  const auto block = static_cast<int64_t>(random() % static_cast<uint64_t>(blocks));
  early_block(launch).prepare(next);
  early_block(launch).run(place(next.shape.grid, block), true);
  return block;
}

void push(Stream stream, const Shape& shape, Body body, const void* args, size_t bytes) {
  Launch launch{.shape = shape, .body = body};
  std::memcpy(launch.args.data(), args, bytes);
  static_cast<Machine*>(stream.queue)->push(launch);
}

}  // namespace skald::simt::host
