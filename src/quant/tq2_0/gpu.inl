// tq2_0 for GPU kernels.
struct GpuTq2_0 {
  static constexpr uint32_t kId = BlockTq2_0::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockTq2_0*>(row)[column / 256];
    const int i = static_cast<int>(column % 256);
    return simt::to_float(simt::F16{b.d}) * static_cast<float>((b.q[i / 128 * 32 + i % 32] >> i / 32 % 4 * 2 & 3) - 1);
  }
};
using gpu_tq2_0 = GpuTq2_0;
