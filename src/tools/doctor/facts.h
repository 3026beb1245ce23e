// What a machine has, as far as it decides how large models fit and how fast they run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_list.h"
#include "tools/report/devices.h"

namespace skald {

struct CpuFacts {
  std::string name = {};
  CpuList present = {}, usable = {};  // all, and those that this process may run on
  int quota = 1;                      // CPUs' worth of time that its control groups leave it, at most usable.size()
  int64_t nodes = 1;                  // of memory
  int64_t second_level_bytes = 0, last_level_bytes = 0;  // of caches; 0: the system does not say
  std::vector<std::string> tiers = {};                   // of this build that the CPU can run, worst first
  std::string tier = {};                                 // the one that is used: SKALD_ISA may name a worse one
  std::string governor = {}, driver = {};                // of the clock; empty: the system does not say
  std::optional<double> load = {};  // threads that computed or waited for a CPU, on average of the last minute
  double stolen = 0;                // share of the CPUs' time since the start that a hypervisor gave to other machines
};

struct MemoryFacts {
  int64_t total = 0, available = 0;        // of the system
  std::optional<int64_t> group_room = {};  // that the control groups leave this process; none: no limit
  std::optional<int64_t> swap_total = {};  // none: the system does not say
  int64_t swap_used = 0;
  std::string huge_pages = {};           // "always", "madvise" or "never"; empty: the system does not say
  std::optional<int64_t> lockable = {};  // that this process may lock; none: no limit
  double read_gb_per_s = 0;              // by all threads; 0: not measured

  /// Returns the bytes that this process can take without swapping.
  int64_t usable() const { return group_room && *group_room < available ? *group_room : available; }
};

/// A folder that files are kept in.
struct DiskFacts {
  std::string use = {};  // "models" or "prompts"
  std::string folder = {};
  std::string file_system = {};  // "ext4"; empty: the system does not say
  int64_t total = 0, free = 0;   // bytes
  bool writable = false;         // the folder, or, where it is not there, the one that it will be made in
};

/// A server that pages of prompts are kept on.
struct StoreFacts {
  std::string kind = {}, label = {};  // without secrets
  std::string error = {};             // why it cannot be used; empty: it can
  double seconds = 0;                 // of a question and its answer
  bool bounded = false;               // its bytes
  std::string limit = {};             // who bounds them
  int64_t used = 0;                   // bytes; 0: unknown
};

struct MachineFacts {
  CpuFacts cpu = {};
  MemoryFacts memory = {};
  std::vector<DiskFacts> disks = {};
  std::optional<StoreFacts> store = {};          // of --prefix-cache-url
  std::vector<DeviceLine> devices = {};          // without those for tests
  std::vector<std::string> display_makers = {};  // of graphics cards on the PCI bus: "NVIDIA", "AMD", "Intel"
};

}  // namespace skald
