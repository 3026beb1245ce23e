// q5_0 for GPU kernels.
struct GpuQ5_0 {
  static constexpr uint32_t kId = BlockQ5_0::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ5_0*>(row)[column / 32];
    const int i = static_cast<int>(column % 32);
    const int low = b.q[i % 16] >> (i < 16 ? 0 : 4) & 15, high = b.high[i / 8] >> i % 8 & 1;
    return simt::to_float(simt::F16{b.d}) * static_cast<float>((low | high << 4) - 16);
  }
};
using gpu_q5_0 = GpuQ5_0;
