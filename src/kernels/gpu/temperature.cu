// What queries are multiplied by over long contexts: a number per row. Bound: nothing, they are few.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 32;

// A thread per row.
SIMT_KERNEL void log_temperature(LogTemperatureArgs a) {
  const int64_t row = int64_t{simt::block_x()} * kThreads + simt::thread();
  if (!begin_row(a.rows, row)) return;
  const int64_t lengths = (a.positions[row] + a.first) / a.length;  // whole ones
  a.out.data[row * a.out.step] = 1 + a.scale * simt::natural_log(static_cast<float>(lengths) + 1);
}

void launch_log_temperature(simt::Stream stream, const LogTemperatureArgs& a, int64_t rows) {
  launch_early<log_temperature>(stream, {{blocks_for(rows, kThreads)}, kThreads}, a);
}

}  // namespace

template <>
void fill_temperature<simt::Target>(GpuKernels& kernels) {
  kernels.log_temperature = launch_log_temperature;
}

}  // namespace skald::gpu
