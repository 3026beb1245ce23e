// The descriptor of the host as a GPU.
#include "backend/backend.h"
#include "backend/gpu/gpu_backend.h"
#include "backend/simt/simt_device.h"

namespace skald {
namespace {

DeviceSummary describe(size_t) {
  const gpu::DeviceInfo info = gpu::SimtDevice::describe();
  return {.name = info.name, .total_bytes = info.total_bytes, .free_bytes = info.free_bytes};
}

std::unique_ptr<Backend> make(const DeviceOptions& o) {
  return std::make_unique<gpu::GpuBackend>(std::make_unique<gpu::SimtDevice>(), o);
}

}  // namespace

extern const BackendDef backend_simt;
const BackendDef backend_simt{.name = "simt", .describe = describe, .make = make, .for_tests = true};

}  // namespace skald
