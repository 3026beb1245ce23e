// nvfp4 for GPU kernels.
struct GpuNvfp4 {
  static constexpr uint32_t kId = BlockNvfp4::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockNvfp4*>(row)[column / 64];
    const int i = static_cast<int>(column % 64), part = i / 16;
    return scale(b.d[part]) * level_of<kMxfp4Levels>(b.q[part][i % 8] >> (i % 16 < 8 ? 0 : 4) & 15);
  }

 private:
  // As nvfp4_scale.
  SIMT_DEV static float scale(uint8_t d) {
    if (d == 0x7f) return 0;
    const unsigned exponent = d >> 3 & 15, fraction = d & 7u;
    const float power = simt::as_float((116 + (exponent ? exponent : 1)) << 23);  // 2^(exponent - 11)
    return power * static_cast<float>(exponent ? fraction + 8 : fraction);
  }
};
using gpu_nvfp4 = GpuNvfp4;
