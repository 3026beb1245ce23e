#include "base/signal_paths.h"

#include <cstdlib>
#include <cstring>

namespace skald {

void SignalPaths::add(const void* thing, size_t bytes, const std::string& path) {
  char* const copy = ::strdup(path.c_str());
  for (Slot& slot : slots_) {
    char* none = nullptr;
    if (!copy || !slot.path.compare_exchange_strong(none, copy)) continue;
    slot.bytes = bytes;
    slot.begin = static_cast<const std::byte*>(thing);
    return;
  }
  std::free(copy);
}

void SignalPaths::remove(const void* thing) {
  for (Slot& slot : slots_) {
    if (slot.begin != thing) continue;
    slot.begin = nullptr;
    std::free(slot.path.exchange(nullptr));
    return;
  }
}

const char* SignalPaths::at(const void* address) const {
  const auto* const byte = static_cast<const std::byte*>(address);
  for (const Slot& slot : slots_)
    if (const std::byte* begin = slot.begin; begin && byte >= begin && byte < begin + slot.bytes) return slot.path;
  return nullptr;
}

}  // namespace skald
