// tq1_0 for GPU kernels.
struct GpuTq1_0 {
  static constexpr uint32_t kId = BlockTq1_0::kId;
  SIMT_DEV static float at(const std::byte* row, int64_t column) {
    const auto& b = reinterpret_cast<const BlockTq1_0*>(row)[column / 256];
    const int i = static_cast<int>(column % 256);
    if (i < 160) return value(b, b.q[i % 32], i / 32);
    if (i < 240) return value(b, b.q[32 + i % 16], (i - 160) / 16);
    return value(b, b.high[i % 4], (i - 240) / 4);
  }

 private:
  SIMT_DEV static float value(const BlockTq1_0& b, unsigned digits, int digit) {
    for (int n = 0; n < digit; ++n) digits = digits * 3 & 255;
    return simt::to_float(simt::F16{b.d}) * static_cast<float>(static_cast<int>(digits * 3 >> 8) - 1);
  }
};
using gpu_tq1_0 = GpuTq1_0;
