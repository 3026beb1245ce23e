#include "base/cpu_affinity.h"

namespace skald {

CpuList thread_affinity() { return {}; }
int running_cpu() { return -1; }
bool set_thread_affinity(pthread_t, const CpuList&) { return false; }
ScopedAffinity::ScopedAffinity(const CpuList&) {}
ScopedAffinity::~ScopedAffinity() = default;

}  // namespace skald
