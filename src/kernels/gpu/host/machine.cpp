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

void Machine::run() {
  Block& early = *blocks_[2];
  int64_t begun = -1;  // the block of this launch that ran already
  for (size_t i = 0; i < launches_.size(); ++i) {
    const bool begins = options_.early_starts && i + 1 < launches_.size() && launches_[i + 1].shape.early;
    int64_t next_begun = -1;
    if (begins) {
      const Launch& next = launches_[i + 1];
      next_begun = static_cast<int64_t>(random() % static_cast<uint64_t>(count(next.shape.grid)));
      early.prepare(next);
      early.run(place(next.shape.grid, next_begun), true);
    }
    run_blocks(launches_[i], begun);
    if (begins) {
      early.finish();
      early.join();
    }
    begun = next_begun;
  }
  launches_.clear();
}

void push(Stream stream, const Shape& shape, Body body, const void* args, size_t bytes) {
  Launch launch{.shape = shape, .body = body};
  std::memcpy(launch.args.data(), args, bytes);
  static_cast<Machine*>(stream.queue)->push(launch);
}

}  // namespace skald::simt::host
