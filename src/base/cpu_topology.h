// The processors of the machine, their caches and their memory nodes, as the system describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_list.h"

namespace skald {

/// Returns all processors that are there; empty when the system does not say.
CpuList present_cpus();

/// Returns the processors of each memory node that has any; empty when the system does not say. Linux describes them in
/// `folder`.
std::vector<CpuList> numa_nodes(const std::string& folder = "/sys/devices/system/node");

/// Of a core's second-level cache; 0 when the system does not say.
int64_t second_level_cache_bytes();

/// Of the cache that the first processor shares with most others; 0 when the system does not say.
int64_t last_level_cache_bytes();

}  // namespace skald
