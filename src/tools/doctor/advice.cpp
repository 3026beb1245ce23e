#include "tools/doctor/advice.h"

namespace skald {

std::vector<Advice> advise(const MachineFacts& facts, const MachineChoice& choice) {
  std::vector<Advice> out;
  advise_cpu(facts.cpu, out);
  advise_memory(facts.memory, choice, out);
  for (const DiskFacts& disk : facts.disks) advise_disk(disk, out);
  if (facts.store) advise_store(*facts.store, out);
  advise_gpu(facts, out);
  return out;
}

}  // namespace skald
