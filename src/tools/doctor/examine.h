// All facts of this machine.
#pragma once

#include <string>

#include "stores/store_kind.h"
#include "tools/doctor/facts.h"

namespace skald {

struct ExamineOptions {
  std::string model_folder = {};   // of models that are got
  std::string prompt_folder = {};  // of --prefix-cache-dir; empty: none
  RemoteStoreOptions store = {};   // of --prefix-cache-url
  double measured_seconds = 1;     // how long the memory's speed is measured; 0: it is not
};

/// Throws kBadInput or kUnsupported for a wrong SKALD_ISA, and kNoMemory where there is no memory to measure.
MachineFacts examine(const ExamineOptions& options);

}  // namespace skald
