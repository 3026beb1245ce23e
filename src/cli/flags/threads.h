// -t and -tb: no more threads than this process has CPUs for.
#pragma once

namespace skald {

/// `n`, or as many as the process's CPUs and its cgroup's quota allow, which is said in a warning: threads beyond these wait
/// for each other. Throws UsageError naming the flag for numbers that are none of threads.
int allowed_threads(const char* flag, int n);

}  // namespace skald
