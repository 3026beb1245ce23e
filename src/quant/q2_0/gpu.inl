// q2_0 for GPU kernels.
struct GpuQ2_0 {
  static constexpr uint32_t kId = BlockQ2_0::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ2_0*>(row)[column / 64];
    const int i = static_cast<int>(column % 64);
    return simt::to_float(simt::F16{b.d}) * static_cast<float>((b.q[i / 4] >> i % 4 * 2 & 3) - 1);
  }
};
using gpu_q2_0 = GpuQ2_0;
