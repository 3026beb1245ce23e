#include "tools/doctor/examine.h"

#include <algorithm>

#include "backend/backend.h"
#include "base/memory.h"
#include "tools/doctor/cpu_facts.h"
#include "tools/doctor/disk_facts.h"
#include "tools/doctor/display_makers.h"
#include "tools/doctor/memory_facts.h"
#include "tools/doctor/store_facts.h"

namespace skald {

MachineFacts examine(const ExamineOptions& o) {
  const auto backend = make_backend({});
  MachineFacts out{.cpu = cpu_facts(backend->info()),
                   .memory = memory_facts(),
                   .devices = device_lines(),
                   .display_makers = display_makers()};
  if (out.memory.total == 0) {  // without /proc
    out.memory.total = system_memory();
    out.memory.available = available_memory();
  }
  std::erase_if(out.devices, [](const DeviceLine& line) { return line.for_tests; });
  out.disks.push_back(disk_facts("models", o.model_folder));
  if (!o.prompt_folder.empty()) out.disks.push_back(disk_facts("prompts", o.prompt_folder));
  if (!o.store.url.empty()) out.store = store_facts(o.store);
  if (o.measured_seconds > 0) out.memory.read_gb_per_s = backend->meter().measure(o.measured_seconds).read_gb_per_s;
  return out;
}

}  // namespace skald
