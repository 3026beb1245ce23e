// SignalPaths: paths that a handler of signals can look up, which may take no lock and no memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

namespace skald {

/// Of up to 256 things at a time, each known by its address; further ones are not remembered. Any thread may add and remove.
class SignalPaths {
 public:
  /// `bytes`: how long the thing is, for at().
  void add(const void* thing, size_t bytes, const std::string& path);
  void remove(const void* thing);

  /// For handlers: the path of the file that lies at `address`; nullptr for none.
  const char* at(const void* address) const;
  /// For handlers: f(path) of each.
  template <class F>
  void for_each(F f) const {
    for (const Slot& slot : slots_)
      if (const char* path = slot.path) f(path);
  }

 private:
  struct Slot {
    std::atomic<char*> path;  // null: the slot is free
    std::atomic<const std::byte*> begin;
    std::atomic<size_t> bytes;
  };
  std::array<Slot, 256> slots_{};
};

}  // namespace skald
