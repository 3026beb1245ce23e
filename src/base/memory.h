// How much memory the system has to give, and how much this process takes.
#pragma once

#include <cstdint>

namespace skald {

/// Returns the bytes that can be used without swapping, by the system's estimate; the free ones, or all, where it gives
/// none. No more than the process's control groups leave it (base/cgroup_memory.h).
int64_t available_memory();

/// Returns the bytes of memory that the system has.
int64_t system_memory();

/// Returns the most bytes that this process has had resident, pages of mapped files included.
int64_t peak_memory();

/// Resident bytes of this process that no file backs; 0 where the system does not say.
int64_t anonymous_memory();

/// Returns the bytes that this process has locked in memory; 0 where the system does not say.
int64_t locked_memory();

}  // namespace skald
