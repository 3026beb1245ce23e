// Device: a GPU, or the host as one: memory, copies and a stream of launches. backend/<name> implements it; nothing else
// knows which one it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/simt_types.h"
#include "tensor/device_memory.h"

namespace skald::gpu {

/// What memory is for.
enum class Use : uint8_t {
  kWeights,  // read-only after it was written once
  kState,    // of sequences: pages, recurrent states
  kWork      // of steps
};

struct DeviceInfo {
  std::string name;                         // "NVIDIA H100"
  std::string kind;                         // "simt": of backend/
  int64_t total_bytes = 0, free_bytes = 0;  // of memory
  bool emulated = false;                    // its speed says nothing of a card's
};

/// Launches that a device runs again as they were recorded. The device must outlive it.
class Recording {
 public:
  virtual ~Recording() = default;
};

/// Writes that are not in order with launches: of weights. The device must outlive it.
class Upload {
 public:
  virtual ~Upload() = default;
  /// The host's bytes are the caller's again when it returns.
  virtual void write(std::byte* to, const std::byte* host, int64_t bytes) = 0;
  /// Until all is there.
  virtual void wait() = 0;
};

/// What a device did since it was made.
struct DeviceCounts {
  int64_t recordings = 0, replays = 0;
  int64_t launches = 0;  // of all recordings
  int64_t brings = 0, brought_bytes = 0;
};

/// Used by one thread at a time. Copies and clears are in order with the launches before them.
class Device {
 public:
  using Piece = DeviceMemory::Piece;

  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;
  virtual const GpuKernels& kernels() const = 0;

  /// Zeroed, at a multiple of 256 bytes. Throws kNoMemory saying what was wanted and what is free.
  virtual std::byte* allocate(int64_t bytes, Use use) = 0;
  virtual void release(std::byte* data) = 0;
  /// Zeroed memory of the host that the device copies from by itself. Throws kNoMemory.
  virtual std::byte* allocate_pinned(int64_t bytes) = 0;
  virtual void release_pinned(std::byte* data) = 0;

  /// The host's bytes are the caller's again when a call returns.
  virtual void write(std::byte* to, const std::byte* host, int64_t bytes) = 0;
  virtual void read(std::byte* host, const std::byte* from, int64_t bytes) = 0;
  virtual void copy(std::byte* to, const std::byte* from, int64_t bytes) = 0;
  virtual void clear(std::byte* at, int64_t bytes) = 0;
  /// See DeviceMemory.
  virtual void copy_all(std::span<const Piece> pieces) = 0;
  virtual void read_all(std::span<const Piece> pieces) = 0;
  virtual void write_all(std::span<const Piece> pieces) = 0;
  /// From pinned memory, which stays as it is until wait().
  virtual void bring(std::byte* to, const std::byte* pinned, int64_t bytes) = 0;
  virtual std::unique_ptr<Upload> upload() = 0;

  virtual simt::Stream stream() = 0;
  /// Throws kDevice where a launch since the last call was refused.
  virtual void check_launches() = 0;
  /// Until all launches are done. Throws kDevice where one failed.
  virtual void wait() = 0;
  /// Drops launches that have not begun, and a recording that has not ended.
  virtual void forget() = 0;

  /// Whether it records launches; without recordings each step launches anew.
  virtual bool records() const { return true; }
  /// The launches from here to end_recording(), which run only when they are replayed. No other call comes between but
  /// stream() and check_launches().
  virtual void begin_recording() = 0;
  virtual std::unique_ptr<Recording> end_recording() = 0;
  /// Puts what was recorded on the stream.
  virtual void replay(const Recording& recording) = 0;

  /// The seconds that the device takes for what `launch` puts on the stream.
  virtual double seconds(const std::function<void()>& launch) = 0;

  const DeviceCounts& counts() const { return counts_; }

 protected:
  DeviceCounts counts_;
};

}  // namespace skald::gpu
