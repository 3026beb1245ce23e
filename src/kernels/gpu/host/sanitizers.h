// What the sanitizers are told of fibers: nothing in other builds. The files of this folder are compiled without the thread
// sanitizer, so that SKALD_WATCHES_THREADS says whether the program has it.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(SKALD_WATCHES_THREADS)
#include <sanitizer/tsan_interface.h>
#endif

namespace skald::simt::host::sanitizers {

inline void* running_fiber() {
#if defined(SKALD_WATCHES_THREADS)
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}
inline void* new_fiber() {
#if defined(SKALD_WATCHES_THREADS)
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}
inline void end_fiber([[maybe_unused]] void* fiber) {
#if defined(SKALD_WATCHES_THREADS)
  __tsan_destroy_fiber(fiber);
#endif
}

/// Before a switch, and after it in the fiber that goes on. A switch orders nothing: threads of a block race.
inline void leave([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* stack, [[maybe_unused]] size_t bytes,
                  [[maybe_unused]] void* fiber) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, stack, bytes);
#endif
#if defined(SKALD_WATCHES_THREADS)
  __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
#endif
}
inline void arrive([[maybe_unused]] void* fake_stack) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

/// What was done before the release of an address happens before what follows an acquire of it.
inline void acquire([[maybe_unused]] void* at) {
#if defined(SKALD_WATCHES_THREADS)
  __tsan_acquire(at);
#endif
}
inline void release([[maybe_unused]] void* at) {
#if defined(SKALD_WATCHES_THREADS)
  __tsan_release(at);
#endif
}

/// Bytes that are not to be touched.
inline void forbid([[maybe_unused]] const void* at, [[maybe_unused]] size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(at, bytes);
#endif
}
inline void permit([[maybe_unused]] const void* at, [[maybe_unused]] size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(at, bytes);
#endif
}

}  // namespace skald::simt::host::sanitizers
