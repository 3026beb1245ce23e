// q4_k for GPU kernels.
struct GpuQ4K {
  static constexpr uint32_t kId = BlockQ4K::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ4K*>(row)[column / 256];
    const int i = static_cast<int>(column % 256), part = i / 32;
    return lined_value(b, part, b.q[i / 64 * 32 + i % 32] >> part % 2 * 4 & 15);
  }
};
using gpu_q4_k = GpuQ4K;
