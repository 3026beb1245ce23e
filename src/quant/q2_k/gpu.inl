// q2_k for GPU kernels.
struct GpuQ2K {
  static constexpr uint32_t kId = BlockQ2K::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ2K*>(row)[column / 256];
    const int i = static_cast<int>(column % 256), part = b.parts[i / 16];
    const int code = b.q[i / 128 * 32 + i % 32] >> i / 32 % 4 * 2 & 3;
    const float scale = simt::to_float(simt::F16{b.d}) * static_cast<float>(part & 15);
    return scale * static_cast<float>(code) - simt::to_float(simt::F16{b.min}) * static_cast<float>(part >> 4);
  }
};
using gpu_q2_k = GpuQ2K;
