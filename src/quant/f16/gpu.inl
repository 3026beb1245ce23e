// f16 for GPU kernels.
struct GpuF16 {
  static constexpr uint32_t kId = BlockF16::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    return simt::to_float(reinterpret_cast<const simt::F16*>(row)[column]);
  }
};
using gpu_f16 = GpuF16;
