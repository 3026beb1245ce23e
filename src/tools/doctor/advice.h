// What would make models faster or larger on a machine, in words.
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/choice.h"
#include "tools/doctor/facts.h"

namespace skald {

struct Advice {
  std::string subject;  // "CPU", "memory", "disk", "store" or "GPU"
  std::string fact;     // a sentence: the fault and its effect
  std::string remedy;   // a sentence
};

/// Returns all that applies, the CPU's first. It depends on nothing but the arguments.
std::vector<Advice> advise(const MachineFacts& facts, const MachineChoice& choice);

/// The parts of it, which append to `out`.
void advise_cpu(const CpuFacts& cpu, std::vector<Advice>& out);
void advise_memory(const MemoryFacts& memory, const MachineChoice& choice, std::vector<Advice>& out);
void advise_disk(const DiskFacts& disk, std::vector<Advice>& out);
void advise_store(const StoreFacts& store, std::vector<Advice>& out);
void advise_gpu(const MachineFacts& facts, std::vector<Advice>& out);

}  // namespace skald
