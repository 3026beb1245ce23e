#include "base/thread_stack.h"

#include <pthread.h>

namespace skald {

// Of the first thread, the C library reads it in /proc/self/maps.
std::span<std::byte> thread_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* at = nullptr;
  size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &at, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return known ? std::span(static_cast<std::byte*>(at), bytes) : std::span<std::byte>{};
}

}  // namespace skald
