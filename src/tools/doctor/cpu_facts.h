// The facts of the CPUs.
#pragma once

#include <string>

#include "backend/backend.h"
#include "tools/doctor/facts.h"

namespace skald {

/// Returns those of this machine, whose backend describes itself as `cpu`.
CpuFacts cpu_facts(const BackendInfo& cpu);

/// Sets the facts that change from minute to minute: the load, the share that is stolen, and what drives the clock. `root`
/// is where /proc and /sys begin; tests put files of their own there.
void add_clock_and_load(CpuFacts& facts, const std::string& root = "");

}  // namespace skald
