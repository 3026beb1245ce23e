#include <fmt/format.h>

#include "base/size_text.h"
#include "tools/doctor/doctor_report.h"
#include "tools/report/table.h"

namespace skald {
namespace {

// "  caches        1.00 MiB of a core, 32.00 MiB last"
void line(std::string& out, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(out), "  {:<14}{}\n", name, value);
}

std::string or_unknown(const std::string& text) { return text.empty() ? "the system does not say" : text; }

// Of bytes; 0: unknown.
std::string known_size(int64_t bytes) { return bytes ? size_text(bytes) : "of unknown size"; }

std::string tiers_text(const CpuFacts& cpu) {
  std::string out;
  for (const std::string& tier : cpu.tiers) out += (out.empty() ? "" : " ") + (tier == cpu.tier ? "[" + tier + "]" : tier);
  return out;
}

void add_cpu(std::string& out, const CpuFacts& cpu) {
  out += "CPU\n";
  line(out, "name", cpu.name);
  line(out, "CPUs",
       fmt::format("{} of {} usable, time of {}; load {}", cpu.usable.size(), cpu.present.size(), cpu.quota,
                   cpu.load ? fmt::format("{:.1f}", *cpu.load) : "unknown"));
  line(out, "memory nodes", std::to_string(cpu.nodes));
  line(out, "caches",
       fmt::format("second level {}, last level {}", known_size(cpu.second_level_bytes), known_size(cpu.last_level_bytes)));
  line(out, "tiers", tiers_text(cpu));
  if (!cpu.governor.empty()) line(out, "clock", fmt::format("{} of {}", cpu.governor, or_unknown(cpu.driver)));
}

std::string swap_text(const MemoryFacts& m) {
  if (!m.swap_total) return or_unknown("");
  return *m.swap_total ? fmt::format("{} of {} in use", size_text(m.swap_used), size_text(*m.swap_total)) : "none";
}

void add_memory(std::string& out, const MemoryFacts& m) {
  out += "Memory\n";
  line(out, "total", size_text(m.total));
  line(out, "available", size_text(m.available));
  line(out, "cgroups", m.group_room ? "leave " + size_text(*m.group_room) : "no limit");
  line(out, "swap", swap_text(m));
  line(out, "huge pages", or_unknown(m.huge_pages));
  line(out, "--mlock", m.lockable ? "up to " + size_text(*m.lockable) : "no limit");
  line(out, "read speed", m.read_gb_per_s > 0 ? fmt::format("{:.1f} GB/s", m.read_gb_per_s) : "not measured");
}

void add_disks(std::string& out, const std::vector<DiskFacts>& disks) {
  out += "Disk\n";
  for (const DiskFacts& d : disks)
    line(out, d.use,
         fmt::format("{} ({}): {} of {} free{}", d.folder, or_unknown(d.file_system), size_text(d.free), size_text(d.total),
                     d.writable ? "" : "; cannot be written to"));
}

void add_store(std::string& out, const StoreFacts& s) {
  out += "Server of prompts\n";
  line(out, s.kind, s.label);
  if (!s.error.empty()) return line(out, "cannot be used", s.error);
  line(out, "answers", fmt::format("after {:.1f} ms", s.seconds * 1000));
  line(out, "bytes", s.used ? size_text(s.used) : or_unknown(""));
  line(out, "limit", s.limit);
}

void add_devices(std::string& out, const std::vector<DeviceLine>& devices) {
  out += "Devices\n";
  for (const DeviceLine& d : devices)
    line(out, d.device,
         d.missing.empty() ? fmt::format("{}, {} of {} free", d.summary.name, size_text(d.summary.free_bytes),
                                         size_text(d.summary.total_bytes))
                           : "none: " + d.missing);
}

std::string per_s(double rate) { return rate > 0 ? fmt::format("{:.1f}", rate) : "?"; }

void add_model(std::string& out, const ModelChoice& m) {
  line(out, "model", fmt::format("{}, {} of {}", m.name, size_text(m.weight_bytes), m.type));
  line(out, "context",
       fmt::format("{} of {} tokens fit; all take a cache of {} and {} of work", in_thousands(m.context),
                   in_thousands(m.trained), size_text(m.cache_bytes), size_text(m.work_bytes)));
  line(out, "speed", fmt::format("at most {} tokens/s while the text is short", per_s(m.most_tokens_per_s)));
}

void add_choice(std::string& out, const MachineChoice& c) {
  out += "Skald takes, unless flags say otherwise\n";
  line(out, "device", c.device);
  line(out, "threads", std::to_string(c.threads));
  line(out, "tier", c.tier);
  line(out, "cache", fmt::format("keys {} by {}, values {}", c.k_type, c.layout, c.v_type));
  line(out, "files", c.mapped ? "mapped" : "read into memory");
  if (c.model) add_model(out, *c.model);
}

void add_models(std::string& out, const MachineChoice& c) {
  if (c.models.empty()) return;
  fmt::format_to(std::back_inserter(out),
                 "\nModels that fit with {} tokens of context, and the speed that reading allows\n\n",
                 in_thousands(c.context));
  Table table{.header = {"shape", "weights", "cache", "GiB", "tokens/s at most"}, .rows = {}};
  for (const FittingModel& m : c.models)
    table.rows.push_back({m.shape, m.type, m.small_cache ? "-ct small" : "f16",
                          fmt::format("{:.1f}", static_cast<double>(m.bytes) / (1 << 30)), per_s(m.most_tokens_per_s)});
  out += table.markdown();
}

void add_advice(std::string& out, const std::vector<Advice>& advice) {
  out += advice.empty() ? "\nNothing here holds models up.\n" : "\nFaster\n";
  for (const Advice& a : advice) fmt::format_to(std::back_inserter(out), "  {}: {}\n    {}\n", a.subject, a.fact, a.remedy);
}

}  // namespace

std::string doctor_text(const Diagnosis& d) {
  std::string out;
  add_cpu(out, d.facts.cpu);
  add_memory(out, d.facts.memory);
  add_disks(out, d.facts.disks);
  if (d.facts.store) add_store(out, *d.facts.store);
  add_devices(out, d.facts.devices);
  add_choice(out, d.choice);
  add_models(out, d.choice);
  add_advice(out, d.advice);
  return out;
}

}  // namespace skald
