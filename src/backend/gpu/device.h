// Device: a GPU, or the host as one: memory, copies and a stream of launches. backend/<name> implements it; nothing else
// knows which one it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/simt_types.h"

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
};

/// Used by one thread at a time. Copies and clears are in order with the launches before them.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;
  virtual const GpuKernels& kernels() const = 0;

  /// Zeroed, at a multiple of 256 bytes. Throws kNoMemory saying what was wanted and what is free.
  virtual std::byte* allocate(int64_t bytes, Use use) = 0;
  virtual void release(std::byte* data) = 0;

  /// The host's bytes are the caller's again when a call returns.
  virtual void write(std::byte* to, const std::byte* host, int64_t bytes) = 0;
  virtual void read(std::byte* host, const std::byte* from, int64_t bytes) = 0;
  virtual void copy(std::byte* to, const std::byte* from, int64_t bytes) = 0;
  virtual void clear(std::byte* at, int64_t bytes) = 0;

  virtual simt::Stream stream() = 0;
  /// Until all launches are done. Throws kDevice where one failed.
  virtual void wait() = 0;
  /// Drops launches that have not begun.
  virtual void forget() = 0;
};

}  // namespace skald::gpu
