#include "backend/simt/simt_device.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/memory.h"

namespace skald::gpu {

SimtDevice::SimtDevice(simt::host::MachineOptions options)
    : machine_(options),
      kernels_(gpu_kernels<simt::HostTarget>()),
      weights_(system_memory(), false),  // of addresses: only what is touched takes memory
      others_(system_memory(), true) {}

DeviceInfo SimtDevice::describe() {
  return {.name = "this machine's CPU as a GPU, for tests",
          .kind = "simt",
          .total_bytes = system_memory(),
          .free_bytes = available_memory()};
}

std::byte* SimtDevice::allocate(int64_t bytes, Use use) {
  AddressSpace& space = use == Use::kWeights ? weights_ : others_;
  const int64_t free = available_memory();
  std::byte* data = bytes <= free ? space.allocate(bytes) : nullptr;
  if (!data) fail(Errc::kNoMemory, "device simt: cannot allocate {} bytes: {} are free", bytes, free);
  if (use == Use::kWeights) machine_.add_weights({data, static_cast<size_t>(bytes)});
  return data;
}

void SimtDevice::release(std::byte* data) {
  if (weights_.holds(data)) machine_.remove_weights(data);
  space(data).release(data);
}

simt::host::AddressSpace& SimtDevice::space(const std::byte* at) { return weights_.holds(at) ? weights_ : others_; }

void SimtDevice::write(std::byte* to, const std::byte* host, int64_t bytes) {
  wait();
  std::memcpy(for_copies(to, bytes), host, static_cast<size_t>(bytes));
}
void SimtDevice::read(std::byte* host, const std::byte* from, int64_t bytes) {
  wait();
  std::memcpy(host, for_copies(from, bytes), static_cast<size_t>(bytes));
}
void SimtDevice::copy(std::byte* to, const std::byte* from, int64_t bytes) {
  wait();
  std::memcpy(for_copies(to, bytes), for_copies(from, bytes), static_cast<size_t>(bytes));
}
void SimtDevice::clear(std::byte* at, int64_t bytes) {
  wait();
  std::memset(for_copies(at, bytes), 0, static_cast<size_t>(bytes));
}

void SimtDevice::wait() {
  if (machine_.idle()) return;
  const AddressSpace::Open weights(weights_), others(others_);
  machine_.run();
}

}  // namespace skald::gpu
