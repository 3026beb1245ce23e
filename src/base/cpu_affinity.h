// CPU affinity: on which processors a thread may run. Systems without it say nothing and refuse.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <vector>

#include "base/cpu_list.h"

namespace skald {

/// Of the calling thread; empty when the system does not say.
CpuList thread_affinity();

/// Returns the processor that runs the calling thread; -1 when the system does not say.
int running_cpu();

/// Returns whether the system agreed. `cpus` is not empty.
bool set_thread_affinity(pthread_t thread, const CpuList& cpus);

/// Keeps the calling thread on `cpus` for a scope, and then lets it run where it could before. Does nothing for none.
/// Where the system refuses, the thread stays where it was.
class ScopedAffinity {
 public:
  explicit ScopedAffinity(const CpuList& cpus);
  ~ScopedAffinity();
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  std::vector<std::byte> before_;  // the system's mask; empty: nothing was changed
};

}  // namespace skald
