// The devices of this machine that models can run on, as a report.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"
#include "tools/report/table.h"

namespace skald {

/// A device of this machine; or a kind without one, and why.
struct DeviceLine {
  std::string device = {};
  DeviceSummary summary = {};
  std::string missing = {};
  bool for_tests = false;
};

/// Returns all of them; those for tests come last.
std::vector<DeviceLine> device_lines();

/// device, as --device takes it; name; memory in MiB and the free part of it. Where a backend has no device, the name is
/// why.
Table devices_report();

/// The same as a list of objects.
std::string devices_json();

/// The GPU that layers go to where no device is named, as --device takes it; empty: there is none.
std::string gpu_device();

/// Why there is none, of each kind: " (cuda: ...)"; empty where the program has no kind.
std::string why_no_gpu();

}  // namespace skald
