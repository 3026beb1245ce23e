// What the system tells, without which some tests see nothing: the portable twins of src/base tell neither.
#pragma once

#include <sys/mman.h>

#include <array>

#include "base/cpu_affinity.h"
#include "base/memory.h"
#include "tests/support/sanitized.h"

namespace skald::test {

/// How much memory is locked: sanitizers let mlock() do nothing.
inline bool tells_locked_memory() {
  if (kSanitized) return false;
  static const std::array<std::byte, 1> page = {};
  const int64_t before = locked_memory();
  if (mlock(page.data(), page.size()) != 0) return true;  // then the tests fail, and tell of it
  const bool told = locked_memory() > before;
  munlock(page.data(), page.size());
  return told;
}

/// On which CPUs a thread may run.
inline bool tells_affinity() { return !thread_affinity().empty(); }

}  // namespace skald::test
