#include <fmt/format.h>

#include "tools/doctor/advice.h"

namespace skald {
namespace {

// Of all CPUs' time. Below it neither costs as much as measurements vary.
constexpr double kMuchLoad = 0.25, kMuchStolen = 0.02;

void advise_count(const CpuFacts& cpu, std::vector<Advice>& out) {
  const size_t present = cpu.present.size(), usable = cpu.usable.size();
  if (usable < present)
    out.push_back({"CPU", fmt::format("This process may run on {} of the machine's {} CPUs.", usable, present),
                   "Start it without taskset, and with a larger --cpuset-cpus in a container."});
  if (cpu.quota < static_cast<int>(usable))
    out.push_back({"CPU", fmt::format("A quota leaves the time of {} of {} CPUs.", cpu.quota, usable),
                   "Raise the limit of the control group: docker run --cpus, systemd's CPUQuota=, or limits.cpu of a pod."});
}

void advise_tier(const CpuFacts& cpu, std::vector<Advice>& out) {
  if (cpu.tiers.empty()) return;
  const std::string& best = cpu.tiers.back();
  if (cpu.tier != best)
    out.push_back({"CPU", fmt::format("SKALD_ISA caps the instruction set at {}, and this CPU runs {}.", cpu.tier, best),
                   "Unset SKALD_ISA."});
  if (best == "scalar")
    out.push_back({"CPU", "This CPU has no AVX2, and models run many times slower without it.",
                   "Take a CPU with AVX2; in a virtual machine, let the host pass the CPU through."});
}

void advise_clock(const CpuFacts& cpu, std::vector<Advice>& out) {
  // The drivers of new processors choose the clock themselves, whatever this governor is called.
  const bool chooses = cpu.driver == "intel_pstate" || cpu.driver == "amd-pstate-epp";
  if (cpu.governor == "powersave" && !chooses)
    out.push_back(
        {"CPU", "The governor powersave keeps the clock at its lowest.", "As root: cpupower frequency-set -g performance."});
}

void advise_others(const CpuFacts& cpu, std::vector<Advice>& out) {
  const auto cpus = static_cast<double>(cpu.usable.size());
  if (cpu.load && *cpu.load > kMuchLoad * cpus)
    out.push_back({"CPU", fmt::format("Other programs compute: a load of {:.1f} on {} CPUs.", *cpu.load, cpu.usable.size()),
                   "End them, or leave them CPUs of their own by -t."});
  if (cpu.stolen > kMuchStolen)
    out.push_back({"CPU", fmt::format("Other virtual machines took {:.0f} % of the CPUs' time.", 100 * cpu.stolen),
                   "Take a machine whose CPUs are not shared."});
  if (cpu.nodes > 1)
    out.push_back({"CPU", fmt::format("There are {} memory nodes, and threads read far memory.", cpu.nodes),
                   "Spread threads and weights over them by --numa distribute."});
}

}  // namespace

void advise_cpu(const CpuFacts& cpu, std::vector<Advice>& out) {
  advise_tier(cpu, out);
  advise_count(cpu, out);
  advise_clock(cpu, out);
  advise_others(cpu, out);
}

}  // namespace skald
