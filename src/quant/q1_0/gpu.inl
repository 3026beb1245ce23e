// q1_0 for GPU kernels.
struct GpuQ1_0 {
  static constexpr uint32_t kId = BlockQ1_0::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ1_0*>(row)[column / 128];
    const int i = static_cast<int>(column % 128);
    const float d = simt::to_float(simt::F16{b.d});
    return b.q[i / 8] >> i % 8 & 1 ? d : -d;
  }
};
using gpu_q1_0 = GpuQ1_0;
