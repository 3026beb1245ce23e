// LeaderMemory: memory that the ranks of a stage have alike. The first rank of all orders what becomes of it, and holds its
// own share where it is one of them.
#pragma once

#include <memory>
#include <vector>

#include "backend/ranks/orders.h"
#include "backend/ranks/stage_place.h"
#include "tensor/device_memory.h"

namespace skald {

class LeaderMemory : public DeviceMemory {
 public:
  /// Of `stage`, a stage of the first rank's `place`. `own`: the first rank's memory; `own` and `orders` must outlive it.
  LeaderMemory(DeviceMemory& own, Orders& orders, const StagePlace& place, int stage);
  ~LeaderMemory() override;
  LeaderMemory(const LeaderMemory&) = delete;
  LeaderMemory& operator=(const LeaderMemory&) = delete;

  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override;
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override { copy_all({{{to, from, bytes}}}); }
  void clear(std::byte* at, int64_t bytes) override;
  void read(std::byte* host, const std::byte* from, int64_t bytes) override { shard(0).read(host, from, bytes); }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override { write_all({{{to, host, bytes}}}); }
  void copy_all(std::span<const Piece> pieces) override;
  void read_all(std::span<const Piece> pieces) override { shard(0).read_all(pieces); }
  void write_all(std::span<const Piece> pieces) override;
  /// What others hold is not.
  bool host_visible() const override { return false; }
  size_t shards() const override { return shards_.size(); }
  DeviceMemory& shard(size_t rank) override { return *shards_[rank]; }

 private:
  template <class Write>
  void order(Order order, Write write);

  DeviceMemory* own_;  // null: the first rank holds nothing of the stage
  Orders& orders_;
  int stage_;
  std::vector<std::unique_ptr<DeviceMemory>> others_;
  std::vector<DeviceMemory*> shards_;
};

}  // namespace skald
