// How many threads compute, and on which CPUs each may run.
#pragma once

#include <string>
#include <vector>

#include "base/cpu_list.h"
#include "skald/options.h"

namespace skald {

/// Where threads can run.
struct Machine {
  CpuList present;             // all CPUs that are there
  CpuList usable;              // those that this process may use
  std::vector<CpuList> nodes;  // CPUs of each memory node; at least one
  int node = 0;                // where this process runs; an index into `nodes`
  int quota = 0;               // CPUs' worth of time that it gets, at most usable.size()
};

/// This one, as the calling thread sees it.
Machine this_machine();

/// The threads that device options give on a machine.
struct ThreadPlan {
  int threads, threads_batch;  // both at least 1
  /// Thread i runs on places[i % places.size()], for as long as it lives: as many threads as there are places get one each.
  /// Empty: all run where the system likes. Any first few threads are spread over the nodes as evenly as all of them.
  std::vector<CpuList> places = {};

  int most() const { return threads > threads_batch ? threads : threads_batch; }
};

/// Throws kBadInput naming the field: numbers out of range, CPUs that are not there or that the process may not use, an
/// unknown word for `numa`.
ThreadPlan plan_threads(const DeviceOptions& options, const Machine& machine);

}  // namespace skald
