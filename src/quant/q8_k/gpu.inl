// q8_k for GPU kernels.
struct GpuQ8K {
  static constexpr uint32_t kId = BlockQ8K::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockQ8K*>(row)[column / 256];
    return b.d * static_cast<float>(b.q[column % 256]);
  }
};
using gpu_q8_k = GpuQ8K;
