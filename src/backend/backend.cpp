#include "backend/backend.h"

#include <algorithm>
#include <utility>

#include "backend/gpu/placement.h"
#include "backend/split_backend.h"
#include "base/error.h"

namespace skald {

constexpr std::string_view kCpuName = "cpu";

static const BackendDef& cpu() { return **std::ranges::find(backends(), kCpuName, &BackendDef::name); }

std::unique_ptr<Backend> make_backend(const DeviceOptions& options) {
  std::string known;
  for (const BackendDef* def : backends()) {
    if (def->name != options.device) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", def->name);
      continue;
    }
    if (def->devices().empty()) fail(Errc::kUnsupported, "device: this machine has no {}", def->name);
    if (def->name == kCpuName || !gpu::splits(options)) return def->make(options);
    std::vector<std::unique_ptr<Backend>> devices;  // in the order of gpu::kCpu and gpu::kGpu
    devices.push_back(cpu().make(options));
    devices.push_back(def->make(options));
    return std::make_unique<SplitBackend>(std::move(devices), gpu::placement_by(options));
  }
  fail(Errc::kBadInput, "device.device: unknown device '{}'; known: {}", options.device, known);
}

}  // namespace skald
