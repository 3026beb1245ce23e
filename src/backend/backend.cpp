#include "backend/backend.h"

#include "base/error.h"

namespace skald {

std::unique_ptr<Backend> make_backend(const DeviceOptions& options) {
  std::string known;
  for (const BackendDef* def : backends()) {
    if (def->name != options.device) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", def->name);
      continue;
    }
    if (def->devices().empty()) fail(Errc::kUnsupported, "device: this machine has no {}", def->name);
    return def->make(options);
  }
  fail(Errc::kBadInput, "device.device: unknown device '{}'; known: {}", options.device, known);
}

}  // namespace skald
