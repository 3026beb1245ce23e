// mxfp4 for GPU kernels.
struct GpuMxfp4 {
  static constexpr uint32_t kId = BlockMxfp4::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockMxfp4*>(row)[column / 32];
    const int i = static_cast<int>(column % 32);
    const float scale = simt::as_float(b.e < 2 ? uint32_t{0x00200000} << b.e : (b.e - 1u) << 23);  // as mxfp4_scale
    return scale * level_of<kMxfp4Levels>(b.q[i % 16] >> (i < 16 ? 0 : 4) & 15);
  }
};
using gpu_mxfp4 = GpuMxfp4;
