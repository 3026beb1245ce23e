// LeaderMemory: memory that all ranks have alike, of which the first one holds its share and orders the rest.
#pragma once

#include <memory>
#include <vector>

#include "backend/ranks/orders.h"
#include "tensor/device_memory.h"

namespace skald {

class LeaderMemory : public DeviceMemory {
 public:
  /// `own` and `orders` must outlive it.
  LeaderMemory(DeviceMemory& own, Orders& orders);
  ~LeaderMemory() override;
  LeaderMemory(const LeaderMemory&) = delete;
  LeaderMemory& operator=(const LeaderMemory&) = delete;

  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override;
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override { copy_all({{{to, from, bytes}}}); }
  void clear(std::byte* at, int64_t bytes) override;
  void read(std::byte* host, const std::byte* from, int64_t bytes) override { own_.read(host, from, bytes); }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override { write_all({{{to, host, bytes}}}); }
  void copy_all(std::span<const Piece> pieces) override;
  void read_all(std::span<const Piece> pieces) override { own_.read_all(pieces); }
  void write_all(std::span<const Piece> pieces) override;
  /// What others hold is not.
  bool host_visible() const override { return false; }
  size_t shards() const override { return others_.size() + 1; }
  DeviceMemory& shard(size_t rank) override;

 private:
  DeviceMemory& own_;
  Orders& orders_;
  std::vector<std::unique_ptr<DeviceMemory>> others_;
};

}  // namespace skald
