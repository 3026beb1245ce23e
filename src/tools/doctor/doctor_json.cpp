#include <nlohmann/json.hpp>

#include "base/cpu_list.h"
#include "io/printable.h"
#include "tools/doctor/doctor_report.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

// Unknown values and limits that do not exist are null.
Json known(int64_t bytes) { return bytes ? Json(bytes) : Json(nullptr); }
Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }
Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(valid_utf8(text)); }
Json known(const std::optional<int64_t>& limit) { return limit ? Json(*limit) : Json(nullptr); }

Json cpu_json(const CpuFacts& c) {
  return {{"name", valid_utf8(c.name)},
          {"present", to_string(c.present)},
          {"usable", to_string(c.usable)},
          {"quota", c.quota},
          {"nodes", c.nodes},
          {"second_level_cache_bytes", known(c.second_level_bytes)},
          {"last_level_cache_bytes", known(c.last_level_bytes)},
          {"tiers", c.tiers},
          {"tier", c.tier},
          {"governor", known(c.governor)},
          {"driver", known(c.driver)},
          {"load", c.load ? Json(*c.load) : Json(nullptr)},
          {"stolen", c.stolen}};
}

Json memory_json(const MemoryFacts& m) {
  return {{"bytes", m.total},
          {"available_bytes", m.available},
          {"group_room_bytes", known(m.group_room)},
          {"swap_bytes", known(m.swap_total)},
          {"swap_used_bytes", m.swap_total ? Json(m.swap_used) : Json(nullptr)},
          {"huge_pages", known(m.huge_pages)},
          {"lockable_bytes", known(m.lockable)},
          {"read_gb_per_s", known(m.read_gb_per_s)}};
}

Json disk_json(const DiskFacts& d) {
  return {{"use", d.use},     {"folder", valid_utf8(d.folder)}, {"file_system", known(d.file_system)},
          {"bytes", d.total}, {"free_bytes", d.free},           {"writable", d.writable}};
}

Json store_json(const StoreFacts& s) {
  return {{"kind", s.kind},         {"where", valid_utf8(s.label)}, {"error", known(s.error)}, {"seconds", known(s.seconds)},
          {"bytes", known(s.used)}, {"bounded", s.bounded},         {"limit", known(s.limit)}};
}

Json device_json(const DeviceLine& d) {
  if (!d.missing.empty()) return {{"device", d.device}, {"missing", d.missing}};
  return {{"device", d.device},
          {"name", valid_utf8(d.summary.name)},
          {"bytes", d.summary.total_bytes},
          {"free_bytes", d.summary.free_bytes}};
}

Json fitting_json(const FittingModel& m) {
  return {{"shape", m.shape},
          {"type", m.type},
          {"cache", m.small_cache ? "small" : "f16"},
          {"bytes", m.bytes},
          {"most_tokens_per_s", known(m.most_tokens_per_s)}};
}

Json model_json(const ModelChoice& m) {
  return {{"name", valid_utf8(m.name)},     {"type", m.type},
          {"weight_bytes", m.weight_bytes}, {"cache_bytes", m.cache_bytes},
          {"work_bytes", m.work_bytes},     {"trained_context", m.trained},
          {"context", m.context},           {"small_cache_context", m.small_context},
          {"streams", m.streams},           {"most_tokens_per_s", known(m.most_tokens_per_s)}};
}

template <class T>
Json list(const std::vector<T>& all, Json (*one)(const T&)) {
  Json out = Json::array();
  for (const T& each : all) out.push_back(one(each));
  return out;
}

Json choice_json(const MachineChoice& c) {
  return {{"device", c.device},   {"threads", c.threads},
          {"tier", c.tier},       {"cache", {{"type_k", c.k_type}, {"type_v", c.v_type}, {"layout", c.layout}}},
          {"mmap", c.mapped},     {"model", c.model ? model_json(*c.model) : Json(nullptr)},
          {"context", c.context}, {"models", list(c.models, fitting_json)}};
}

Json advice_json(const Advice& a) {
  return {{"subject", a.subject}, {"fact", valid_utf8(a.fact)}, {"remedy", valid_utf8(a.remedy)}};
}

}  // namespace

std::string doctor_json(const Diagnosis& d) {
  const MachineFacts& f = d.facts;
  const Json out = {{"cpu", cpu_json(f.cpu)},
                    {"memory", memory_json(f.memory)},
                    {"disks", list(f.disks, disk_json)},
                    {"store", f.store ? store_json(*f.store) : Json(nullptr)},
                    {"devices", list(f.devices, device_json)},
                    {"display_makers", f.display_makers},
                    {"choice", choice_json(d.choice)},
                    {"advice", list(d.advice, advice_json)}};
  return out.dump(2) + "\n";
}

}  // namespace skald
