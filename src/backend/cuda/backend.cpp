// The descriptor of NVIDIA's cards.
#include "backend/backend.h"

#include <cstdlib>

#include "backend/cuda/cuda_device.h"
#include "backend/device_name.h"
#include "backend/gpu/gpu_backend.h"

namespace skald {
namespace {

size_t count() { return gpu::cards().numbers.size(); }

std::string missing() { return gpu::cards().missing; }

DeviceSummary describe(size_t card) {
  const gpu::DeviceInfo info = gpu::Card(card).info();
  return {.name = info.name, .total_bytes = info.total_bytes, .free_bytes = info.free_bytes};
}

std::unique_ptr<Backend> make(const DeviceOptions& o) {
  const gpu::CudaSwitches switches =
      gpu::cuda_switches(std::getenv("SKALD_CUDA_OFF"));  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  return std::make_unique<gpu::GpuBackend>(std::make_unique<gpu::CudaDevice>(device_name(o.device).number, switches), o);
}

}  // namespace

extern const BackendDef backend_cuda;
const BackendDef backend_cuda{.name = "cuda", .describe = describe, .make = make, .count = count, .missing = missing};

}  // namespace skald
