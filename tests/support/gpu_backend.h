// The device that tests of GPUs run on: the host as one, or what the environment says (tests/gpu_test.py).
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "backend/gpu/gpu_backend.h"
#include "backend/simt/simt_device.h"
#include "base/error.h"

namespace skald::test {

/// "cuda" where SKALD_TEST_DEVICE says so.
inline std::string gpu_name() {
  const char* const name = std::getenv("SKALD_TEST_DEVICE");
  return name ? name : "simt";
}

/// Orders of threads and blocks are the host's: a card has its own.
inline std::unique_ptr<gpu::GpuBackend> gpu_backend(const simt::host::MachineOptions& options = {}) {
  const std::string name = gpu_name();
  if (name == "simt") return std::make_unique<gpu::GpuBackend>(std::make_unique<gpu::SimtDevice>(options), DeviceOptions{});
  std::unique_ptr<Backend> made = make_backend({.device = name});
  auto* const backend = dynamic_cast<gpu::GpuBackend*>(made.get());
  SKALD_ASSERT(backend);
  made.release();
  return std::unique_ptr<gpu::GpuBackend>(backend);
}

}  // namespace skald::test
