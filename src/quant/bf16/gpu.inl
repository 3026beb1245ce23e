// bf16 for GPU kernels.
struct GpuBf16 {
  static constexpr uint32_t kId = BlockBf16::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    return simt::to_float(reinterpret_cast<const simt::Bf16*>(row)[column]);
  }
};
using gpu_bf16 = GpuBf16;
