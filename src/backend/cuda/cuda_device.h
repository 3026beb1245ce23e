// CudaDevice: a card of NVIDIA. Steps run on one stream, uploads on another one.
#pragma once

#include <memory>

#include "backend/cuda/batches.h"
#include "backend/cuda/handles.h"
#include "backend/cuda/switches.h"
#include "backend/cuda/uploader.h"
#include "backend/gpu/device.h"

namespace skald::gpu {

class CudaDevice : public Device {
 public:
  explicit CudaDevice(size_t card, const CudaSwitches& switches = {});
  ~CudaDevice() override;

  DeviceInfo info() const override { return card_.info(); }
  const GpuKernels& kernels() const override { return kernels_; }
  std::byte* allocate(int64_t bytes, Use use) override;
  void release(std::byte* data) override;
  std::byte* allocate_pinned(int64_t bytes) override;
  void release_pinned(std::byte* data) override;
  void write(std::byte* to, const std::byte* host, int64_t bytes) override;
  void read(std::byte* host, const std::byte* from, int64_t bytes) override;
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override;
  void clear(std::byte* at, int64_t bytes) override;
  void copy_all(std::span<const Piece> pieces) override { batches_.copy(pieces); }
  void read_all(std::span<const Piece> pieces) override { batches_.read(pieces); }
  void write_all(std::span<const Piece> pieces) override { batches_.write(pieces); }
  void bring(std::byte* to, const std::byte* pinned, int64_t bytes) override;
  std::unique_ptr<Upload> upload() override { return std::make_unique<Uploader>(card_); }
  simt::Stream stream() override;
  void check_launches() override;
  void wait() override;
  void forget() override;
  bool records() const override { return switches_.graphs; }
  void begin_recording() override;
  std::unique_ptr<Recording> end_recording() override;
  void replay(const Recording& recording) override;
  double seconds(const std::function<void()>& launch) override;

 private:
  void move(void* to, const void* from, int64_t bytes, cudaMemcpyKind kind);
  GraphHandle end_capture();

  Card card_;
  CudaSwitches switches_;
  StreamHandle stream_;
  EventHandle begin_, end_;  // of what is timed
  GpuKernels kernels_;
  Batches batches_;
  bool recording_ = false;
};

}  // namespace skald::gpu
