// The memory that this process's control groups leave it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skald {

/// Returns the bytes that this process can still take before it meets a limit of its control groups, version 1 or 2. Files
/// that these groups have cached count as free, since the system drops them first. nullopt: no limit. `root` is where /proc
/// and the groups' file systems begin; tests put files of their own there.
/// https://docs.kernel.org/admin-guide/cgroup-v2.html, https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
std::optional<int64_t> cgroup_room(const std::string& root = "");

}  // namespace skald
