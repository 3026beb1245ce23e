#include "backend/backend.h"

#include <utility>

#include "backend/device_name.h"
#include "backend/gpu/placement.h"
#include "backend/ranks/leader.h"
#include "backend/ranks/share.h"
#include "backend/split_backend.h"
#include "base/error.h"

namespace skald {

constexpr std::string_view kCpuName = "cpu";

namespace {

// Throws where the machine lacks it.
void check_present(const BackendDef& def, const DeviceOptions& options) {
  const size_t number = device_name(options.device).number, devices = def.devices();
  if (devices == 0) fail(Errc::kUnsupported, "device {}: {}", options.device, def.missing());
  if (number >= devices)
    fail(Errc::kUnsupported, "device {}: the last one of this machine is {}{}", options.device, def.name, devices - 1);
}

}  // namespace

const BackendDef& find_backend(std::string_view device) {
  const DeviceName wanted = device_name(device);
  std::string known;
  for (const BackendDef* def : backends()) {
    if (def->name == wanted.backend && (def->count || !wanted.numbered)) return *def;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", def->name);
  }
  fail(Errc::kBadInput, "device.device: unknown device '{}'; known: {}", device, known);
}

std::shared_ptr<const DeviceAdapter> Backend::adapt(const Graph&, std::shared_ptr<const Adapter>) {
  fail(Errc::kUnsupported,
       "{} applies no adapters in its steps: merge them into the model, with --lora-merge or skald export-lora",
       info().device);
}

static std::unique_ptr<Backend> make_of_one(const DeviceOptions& options) {
  const BackendDef& def = find_backend(options.device);
  check_present(def, options);
  if (def.name == kCpuName || !gpu::splits(options)) return def.make(options);
  std::vector<std::unique_ptr<Backend>> devices;  // in the order of gpu::kCpu and gpu::kGpu
  devices.push_back(find_backend(kCpuName).make(options));
  devices.push_back(def.make(options));
  return std::make_unique<SplitBackend>(std::move(devices), gpu::placement_by(options));
}

RankCut cut_of(const DeviceOptions& options) { return {options.pipeline_parallel, options.tp_exact}; }

std::string options_of_ranks(const DeviceOptions& o) {
  return fmt::format("{} stages, {}, {}, {} sums", o.pipeline_parallel, o.fused ? "fused" : "not fused",
                     o.exact ? "exact" : "not exact", o.tp_exact ? "exact" : "cut");
}

std::unique_ptr<Backend> make_backend(const DeviceOptions& options) {
  std::unique_ptr<Backend> own = make_of_one(options);
  if (!options.group) return own;
  return std::make_unique<RankLeader>(std::move(own), options.group, cut_of(options), options_of_ranks(options));
}

}  // namespace skald
