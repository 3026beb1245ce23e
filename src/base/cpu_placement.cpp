#include "base/cpu_placement.h"

#include <algorithm>

#include "base/cpu_affinity.h"
#include "base/cpu_features.h"
#include "base/cpu_topology.h"
#include "base/error.h"

namespace skald {
namespace {

constexpr int kMaxThreads = 4096;

int node_of(int cpu, const std::vector<CpuList>& nodes) {
  const auto at = std::ranges::find_if(nodes, [cpu](const CpuList& node) { return std::ranges::binary_search(node, cpu); });
  return at == nodes.end() ? 0 : static_cast<int>(at - nodes.begin());
}

// The CPUs to choose from.
CpuList candidates(const DeviceOptions& options, const Machine& machine) {
  if (options.cpu_range.empty()) return machine.usable;
  return doing("device.cpu_range", [&] {
    CpuList wanted = parse_cpu_list(options.cpu_range);
    if (const CpuList missing = difference(wanted, machine.present); !missing.empty())
      fail(Errc::kBadInput, "no such CPU: {}; this machine has {}", to_string(missing), to_string(machine.present));
    if (const CpuList barred = difference(wanted, machine.usable); !barred.empty())
      fail(Errc::kBadInput, "this process may not use CPU {}; it may use {}", to_string(barred), to_string(machine.usable));
    return wanted;
  });
}

std::vector<CpuList> distributed(const CpuList& cpus, const Machine& machine) {
  std::vector<CpuList> nodes;
  for (const CpuList& node : machine.nodes)
    if (CpuList own = intersection(node, cpus); !own.empty()) nodes.push_back(std::move(own));
  if (nodes.empty()) nodes.push_back(cpus);  // a system whose nodes have none of them
  return nodes;
}

// One group of CPUs per node that is to be used. Without device.numa they are one group.
std::vector<CpuList> groups(const std::string& numa, const CpuList& cpus, const Machine& machine) {
  if (numa.empty()) return {cpus};
  if (numa == "distribute") return distributed(cpus, machine);
  if (numa != "isolate") fail(Errc::kBadInput, "device.numa: '{}': want distribute or isolate", numa);
  const CpuList& here = machine.nodes[static_cast<size_t>(machine.node)];
  CpuList own = intersection(here, cpus);
  if (own.empty())
    fail(Errc::kBadInput,
         "device.numa: isolate: this process started on the node of CPUs {}, of which device.cpu_range {} has none",
         to_string(here), to_string(cpus));
  return {std::move(own)};
}

// The first CPU of each group, then the second of each, ...; groups that have no more are passed over.
std::vector<CpuList> one_by_one(const std::vector<CpuList>& groups) {
  std::vector<CpuList> places;
  const size_t most = std::ranges::max_element(groups, {}, &CpuList::size)->size();
  for (size_t i = 0; i < most; ++i)
    for (const CpuList& group : groups)
      if (i < group.size()) places.push_back({group[i]});
  return places;
}

int count(const CpuList& cpus, const Machine& machine) {
  return std::max(1, std::min(static_cast<int>(cpus.size()), machine.quota));
}

void check_number(int n, const char* name) {
  if (n < 0 || n > kMaxThreads) fail(Errc::kBadInput, "{}: want 0 (all CPUs) to {}", name, kMaxThreads);
}

}  // namespace

Machine this_machine() {
  Machine m;
  m.usable = thread_affinity();
  m.quota = usable_cpus();
  if (m.usable.empty())  // a system that does not say: as many as there seem to be
    for (int cpu = 0; cpu < m.quota; ++cpu) m.usable.push_back(cpu);
  m.present = present_cpus();
  if (m.present.empty()) m.present = m.usable;
  m.nodes = numa_nodes();
  if (m.nodes.empty()) m.nodes.push_back(m.present);
  m.node = node_of(running_cpu(), m.nodes);
  return m;
}

ThreadPlan plan_threads(const DeviceOptions& options, const Machine& machine) {
  check_number(options.n_threads, "device.n_threads");
  check_number(options.n_threads_batch, "device.n_threads_batch");
  const CpuList cpus = candidates(options, machine);
  const std::vector<CpuList> nodes = groups(options.numa, cpus, machine);
  CpuList all;
  for (const CpuList& node : nodes) all.insert(all.end(), node.begin(), node.end());

  ThreadPlan plan{.threads = options.n_threads ? options.n_threads : count(all, machine),
                  .threads_batch = options.n_threads_batch};
  if (!plan.threads_batch) plan.threads_batch = plan.threads;
  if (!options.cpu_range.empty())
    plan.places = one_by_one(nodes);
  else if (!options.numa.empty() && machine.nodes.size() > 1)
    plan.places = nodes;  // the system chooses within a node, and knows which CPUs share a core
  return plan;
}

}  // namespace skald
