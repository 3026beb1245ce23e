// Machine: the host as a device for kernels of simt. Runs launches block by block, each block's threads in an order that
// tests choose: a kernel whose results depend on it has a race. A kernel that breaks a rule ends the program with a report.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/gpu/host/words.h"
#include "kernels/gpu/simt_types.h"

namespace skald::simt::host {

class Block;

/// In which threads that can go on do so.
enum class Order : uint8_t { kForward, kBackward, kRandom };

struct MachineOptions {
  Order threads = Order::kForward;
  bool blocks_backward = false;
  bool late_copies = true;   // asynchronous copies are done as late as they may be; else at once
  bool early_starts = true;  // a block of a launch that may begin early does, before the launch before it
  uint64_t seed = 1;         // of random orders, and of the block that begins early
};

struct Launch {
  Shape shape;
  Body body = nullptr;
  alignas(16) std::array<std::byte, kMaxArgBytes> args = {};
};

/// Of one thread of the system at a time.
class Machine {
 public:
  explicit Machine(MachineOptions options = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Stream stream() { return {this}; }
  /// Takes a launch; those that were taken run in order when `run` is called.
  void push(const Launch& launch) { launches_.push_back(launch); }
  void run();
  bool idle() const { return launches_.empty(); }
  /// Gives what was taken and did not run, which it then has no longer.
  std::vector<Launch> take() { return std::exchange(launches_, {}); }
  /// Drops it.
  void forget() { launches_.clear(); }

  /// Bytes that nothing writes while kernels run: what load_stream may read.
  void add_weights(std::span<const std::byte> bytes) { weights_.push_back(bytes); }
  void remove_weights(const std::byte* first);
  bool holds_weights(const void* at, size_t bytes) const;

  const MachineOptions& options() const { return options_; }
  /// The next number of a sequence that the seed decides.
  uint64_t random();

 private:
  void make_blocks();
  void run_launches();
  int64_t begin_early(size_t launch);
  Block& early_block(size_t launch) { return *blocks_[2 + launch % 2]; }
  void run_blocks(const Launch& launch, int64_t skipped);

  MachineOptions options_;
  uint64_t random_;
  std::vector<Launch> launches_;
  std::vector<std::span<const std::byte>> weights_;
  // Blocks take turns between two sets of fibers, and know nothing of each other: the thread sanitizer sees what two of them
  // share. The others are of blocks that begin early, of launches in turns.
  std::array<std::unique_ptr<Block>, 4> blocks_;
};

}  // namespace skald::simt::host
