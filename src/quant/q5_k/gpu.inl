// q5_k for GPU kernels.
struct GpuQ5K {
  static constexpr uint32_t kId = BlockQ5K::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ5K*>(row)[column / 256];
    const int i = static_cast<int>(column % 256), part = i / 32;
    const int low = b.low[i / 64 * 32 + i % 32] >> part % 2 * 4 & 15, high = b.high[i % 32] >> part & 1;
    return lined_value(b, part, low | high << 4);
  }
};
using gpu_q5_k = GpuQ5K;
