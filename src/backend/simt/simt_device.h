// SimtDevice: the host as a GPU, for tests of kernels and of what launches them. Launches run when the backend waits for
// them.
#pragma once

#include "backend/gpu/device.h"
#include "kernels/gpu/host/address_space.h"
#include "kernels/gpu/host/machine.h"

namespace skald::gpu {

class SimtDevice : public Device {
 public:
  explicit SimtDevice(simt::host::MachineOptions options = {});

  /// Without making one.
  static DeviceInfo describe();
  DeviceInfo info() const override { return describe(); }
  const GpuKernels& kernels() const override { return kernels_; }
  std::byte* allocate(int64_t bytes, Use use) override;
  void release(std::byte* data) override;
  std::byte* allocate_pinned(int64_t bytes) override;
  void release_pinned(std::byte* data) override;
  void write(std::byte* to, const std::byte* host, int64_t bytes) override;
  void read(std::byte* host, const std::byte* from, int64_t bytes) override;
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override;
  void clear(std::byte* at, int64_t bytes) override;
  void copy_all(std::span<const Piece> pieces) override;
  void read_all(std::span<const Piece> pieces) override;
  void write_all(std::span<const Piece> pieces) override;
  void bring(std::byte* to, const std::byte* pinned, int64_t bytes) override;
  std::unique_ptr<Upload> upload() override;
  simt::Stream stream() override { return machine_.stream(); }
  void check_launches() override {}
  void wait() override;
  void forget() override;
  void begin_recording() override;
  std::unique_ptr<Recording> end_recording() override;
  void replay(const Recording& recording) override;
  double seconds(const std::function<void()>& launch) override;

 private:
  using AddressSpace = simt::host::AddressSpace;
  AddressSpace& space(const std::byte* at);
  std::byte* for_copies(const std::byte* at, int64_t bytes) { return space(at).for_copies(at, bytes); }

  simt::host::Machine machine_;
  bool recording_ = false;
  GpuKernels kernels_;
  AddressSpace weights_, others_;
};

}  // namespace skald::gpu
