// What both halves of simt, and those who launch kernels, know: plain types.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald::simt {

inline constexpr int kWarp = 32;
inline constexpr int kMaxThreads = 1024;                // of a block
inline constexpr int64_t kMaxSharedBytes = 227 * 1024;  // of a block, on the smallest device that is supported
inline constexpr int64_t kMaxArgBytes = 512;            // of a kernel's struct of arguments

struct F16 {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};
struct alignas(8) Words2 {
  uint32_t w[2];
};
struct alignas(16) Words4 {
  uint32_t w[4];
};
struct Float2 {
  float x, y;
};

/// The blocks of a launch, or the place of one among them.
struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

/// Where launches go, in order: a device's own queue, which only its half of simt knows.
struct Stream {
  void* queue = nullptr;
  bool early = true;  // whether kernels that may start early do
};

/// The devices that kernel files are compiled for.
struct HostTarget;
struct CudaTarget;

/// How a kernel is launched.
struct Shape {
  Grid grid;
  int threads = 0;           // of a block
  int64_t shared_bytes = 0;  // of a block
  bool early = false;        // it may begin while launches before it run: the kernel waits by wait_for_previous()
};

}  // namespace skald::simt
