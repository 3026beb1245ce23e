// q4_0 for GPU kernels.
struct GpuQ4_0 {
  static constexpr uint32_t kId = BlockQ4_0::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ4_0*>(row)[column / 32];
    const int i = static_cast<int>(column % 32);
    const int low = b.q[i % 16] >> (i < 16 ? 0 : 4) & 15;
    return simt::to_float(simt::F16{b.d}) * static_cast<float>(low - 8);
  }
};
using gpu_q4_0 = GpuQ4_0;
