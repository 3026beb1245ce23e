// The processors' time that this process's control groups leave it.
#pragma once

namespace skald {

/// Returns the CPUs' worth of time, a whole number; infinite without a quota.
double cgroup_cpus();

}  // namespace skald
