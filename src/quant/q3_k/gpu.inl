// q3_k for GPU kernels.
struct GpuQ3K {
  static constexpr uint32_t kId = BlockQ3K::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ3K*>(row)[column / 256];
    const int i = static_cast<int>(column % 256), part = i / 16;
    const int low = b.low[i / 128 * 32 + i % 32] >> i / 32 % 4 * 2 & 3, high = b.high[i % 32] >> i / 32 & 1;
    const int scale = (b.scales[part % 8] >> part / 8 * 4 & 15) | (b.scales[8 + part % 4] >> part / 4 * 2 & 3) << 4;
    return simt::to_float(simt::F16{b.d}) * static_cast<float>(scale - 32) * static_cast<float>((low | high << 2) - 4);
  }
};
using gpu_q3_k = GpuQ3K;
