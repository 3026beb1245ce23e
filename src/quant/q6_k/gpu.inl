// q6_k for GPU kernels.
struct GpuQ6K {
  static constexpr uint32_t kId = BlockQ6K::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ6K*>(row)[column / 256];
    const int i = static_cast<int>(column % 256);
    const int low = b.low[i / 128 * 64 + i % 64] >> i / 64 % 2 * 4 & 15;
    const int high = b.high[i / 128 * 32 + i % 32] >> i / 32 % 4 * 2 & 3;
    const float scale = simt::to_float(simt::F16{b.d}) * static_cast<float>(b.scales[i / 16]);
    return scale * static_cast<float>((low | high << 4) - 32);
  }
};
using gpu_q6_k = GpuQ6K;
