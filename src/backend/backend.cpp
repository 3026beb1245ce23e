#include "backend/backend.h"

#include <utility>

#include "backend/gpu/placement.h"
#include "backend/split_backend.h"
#include "base/error.h"

namespace skald {

constexpr std::string_view kCpuName = "cpu";

const BackendDef& find_backend(std::string_view name) {
  std::string known;
  for (const BackendDef* def : backends()) {
    if (def->name == name) return *def;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", def->name);
  }
  fail(Errc::kBadInput, "device.device: unknown device '{}'; known: {}", name, known);
}

std::unique_ptr<Backend> make_backend(const DeviceOptions& options) {
  const BackendDef& def = find_backend(options.device);
  if (def.devices().empty()) fail(Errc::kUnsupported, "device: this machine has no {}", def.name);
  if (def.name == kCpuName || !gpu::splits(options)) return def.make(options);
  std::vector<std::unique_ptr<Backend>> devices;  // in the order of gpu::kCpu and gpu::kGpu
  devices.push_back(find_backend(kCpuName).make(options));
  devices.push_back(def.make(options));
  return std::make_unique<SplitBackend>(std::move(devices), gpu::placement_by(options));
}

}  // namespace skald
