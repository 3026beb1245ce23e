// iq4_xs for GPU kernels.
struct GpuIq4Xs {
  static constexpr uint32_t kId = BlockIq4Xs::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockIq4Xs*>(row)[column / 256];
    const int i = static_cast<int>(column % 256), part = i / 32;
    const int scale = (b.scales_low[part / 2] >> part % 2 * 4 & 15) | (b.scales_high >> 2 * part & 3) << 4;
    const int level = b.q[part * 16 + i % 16] >> i / 16 % 2 * 4 & 15;
    return simt::to_float(simt::F16{b.d}) * static_cast<float>(scale - 32) * level_of<kIq4Levels>(level);
  }
};
using gpu_iq4_xs = GpuIq4Xs;
