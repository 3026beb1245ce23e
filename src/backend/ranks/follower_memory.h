// FollowerMemory: the memory that the first rank ordered, by its addresses there.
#pragma once

#include <map>
#include <memory>

#include "tensor/device_memory.h"

namespace skald {

class FollowerMemory {
 public:
  void allocate(const std::byte* there, int64_t bytes) { buffers_[there] = host_memory().allocate(bytes); }
  void free(const std::byte* there) { buffers_.erase(there); }
  void clear() { buffers_.clear(); }
  /// The place here of an address on the first rank; null of null, and of memory of another stage.
  std::byte* find(const std::byte* there) const;
  /// The same, of memory that is here.
  std::byte* here(const std::byte* there) const;

 private:
  std::map<const std::byte*, std::unique_ptr<DeviceBuffer>, std::less<>> buffers_;
};

}  // namespace skald
