// iq4_nl for GPU kernels.
struct GpuIq4Nl {
  static constexpr uint32_t kId = BlockIq4Nl::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockIq4Nl*>(row)[column / 32];
    const int i = static_cast<int>(column % 32);
    return simt::to_float(simt::F16{b.d}) * level_of<kIq4Levels>(b.q[i % 16] >> (i < 16 ? 0 : 4) & 15);
  }
};
using gpu_iq4_nl = GpuIq4Nl;
