#include "base/cpu_affinity.h"

#include <sched.h>

namespace skald {
namespace {

constexpr size_t kMaskBytes = CPU_ALLOC_SIZE(kMaxCpu + 1);  // of all processors that a CpuList may name

using Mask = std::vector<std::byte>;

cpu_set_t* as_set(Mask& mask) { return reinterpret_cast<cpu_set_t*>(mask.data()); }

Mask mask_of(const CpuList& cpus) {
  Mask mask(kMaskBytes);
  for (int cpu : cpus) CPU_SET_S(cpu, kMaskBytes, as_set(mask));
  return mask;
}

// Of the calling thread; empty when the system does not say.
Mask thread_mask() {
  Mask mask(kMaskBytes);
  if (sched_getaffinity(0, kMaskBytes, as_set(mask)) != 0) mask.clear();
  return mask;
}

bool set_mask(pthread_t thread, Mask& mask) { return pthread_setaffinity_np(thread, kMaskBytes, as_set(mask)) == 0; }

}  // namespace

CpuList thread_affinity() {
  CpuList cpus;
  Mask mask = thread_mask();
  if (mask.empty()) return cpus;
  for (int cpu = 0; cpu <= kMaxCpu; ++cpu)
    if (CPU_ISSET_S(cpu, kMaskBytes, as_set(mask))) cpus.push_back(cpu);
  return cpus;
}

int running_cpu() { return sched_getcpu(); }

bool set_thread_affinity(pthread_t thread, const CpuList& cpus) {
  Mask mask = mask_of(cpus);
  return set_mask(thread, mask);
}

ScopedAffinity::ScopedAffinity(const CpuList& cpus) {
  if (cpus.empty()) return;
  before_ = thread_mask();
  Mask wanted = mask_of(cpus);
  if (before_ == wanted || !set_mask(pthread_self(), wanted)) before_.clear();
}

ScopedAffinity::~ScopedAffinity() {
  if (!before_.empty()) set_mask(pthread_self(), before_);
}

}  // namespace skald
