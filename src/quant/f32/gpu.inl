// f32 for GPU kernels.
struct GpuF32 {
  static constexpr uint32_t kId = BlockF32::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) { return reinterpret_cast<const float*>(row)[column]; }
};
using gpu_f32 = GpuF32;
