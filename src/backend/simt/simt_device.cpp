#include "backend/simt/simt_device.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/memory.h"

namespace skald::gpu {
namespace {

class Launches : public Recording {
 public:
  std::vector<simt::host::Launch> all;
};

class Writes : public Upload {
 public:
  explicit Writes(Device& device) : device_(device) {}
  void write(std::byte* to, const std::byte* host, int64_t bytes) override { device_.write(to, host, bytes); }
  void wait() override {}

 private:
  Device& device_;
};

}  // namespace

SimtDevice::SimtDevice(simt::host::MachineOptions options)
    : machine_(options),
      kernels_(gpu_kernels<simt::HostTarget>()),
      weights_(system_memory(), false),  // of addresses: only what is touched takes memory
      others_(system_memory(), true) {}

DeviceInfo SimtDevice::describe() {
  return {.name = "this machine's CPU as a GPU, for tests",
          .kind = "simt",
          .total_bytes = system_memory(),
          .free_bytes = available_memory(),
          .emulated = true};
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

void SimtDevice::copy_all(std::span<const Piece> pieces) {
  for_each_copy(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { copy(to, from, bytes); });
}
void SimtDevice::read_all(std::span<const Piece> pieces) {
  for_each_copy(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { read(to, from, bytes); });
}
void SimtDevice::write_all(std::span<const Piece> pieces) {
  for_each_copy(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { write(to, from, bytes); });
}
void SimtDevice::bring(std::byte* to, const std::byte* pinned, int64_t bytes) {
  write(to, pinned, bytes);
  ++counts_.brings;
  counts_.brought_bytes += bytes;
}

std::unique_ptr<Upload> SimtDevice::upload() { return std::make_unique<Writes>(*this); }

// Of another heap than the device's: its addresses are the host's.
std::byte* SimtDevice::allocate_pinned(int64_t bytes) { return new std::byte[static_cast<size_t>(bytes)]{}; }
void SimtDevice::release_pinned(std::byte* data) { delete[] data; }

void SimtDevice::wait() {
  SKALD_ASSERT(!recording_);
  if (machine_.idle()) return;
  const AddressSpace::Open weights(weights_), others(others_);
  machine_.run();
}

void SimtDevice::forget() {
  recording_ = false;
  machine_.forget();
}

void SimtDevice::begin_recording() {
  wait();
  recording_ = true;
}

std::unique_ptr<Recording> SimtDevice::end_recording() {
  SKALD_ASSERT(recording_);
  recording_ = false;
  ++counts_.recordings;
  auto out = std::make_unique<Launches>();
  out->all = machine_.take();
  counts_.launches += std::ssize(out->all);
  return out;
}

void SimtDevice::replay(const Recording& recording) {
  for (const simt::host::Launch& launch : dynamic_cast<const Launches&>(recording).all) machine_.push(launch);
  ++counts_.replays;
}

double SimtDevice::seconds(const std::function<void()>& launch) {
  wait();
  const auto start = std::chrono::steady_clock::now();
  launch();
  wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace skald::gpu
