// q8_0 for GPU kernels.
struct GpuQ8_0 {
  static constexpr uint32_t kId = BlockQ8_0::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ8_0*>(row)[column / 32];
    const int i = static_cast<int>(column % 32);
    return simt::to_float(simt::F16{b.d}) * static_cast<float>(b.q[i]);
  }
};
using gpu_q8_0 = GpuQ8_0;
