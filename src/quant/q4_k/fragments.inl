// q4_k in fragments, for GPU kernels: a value is d * scale * code - min * offset.
struct FragmentsQ4K {
  static constexpr uint32_t kId = BlockQ4K::kId;
  static constexpr int kColumns = 256, kUnits = 2, kBytes = 4 * 512 + 256;
  static constexpr bool kOffsets = true;
  struct Step {
    simt::Words4 codes[4];
    simt::Words2 scales;
  };
  SIMT_DEV static Step load(const std::byte* at) {
    Step s;
#pragma unroll
    for (int p = 0; p < 4; ++p) s.codes[p] = simt::load_stream(at + p * 512 + simt::lane() * 16);
    s.scales = simt::load_stream8(at + 2048 + simt::lane() * 8);
    return s;
  }
  // Six bits as a float without a conversion: the number is the mantissa of 2^23.
  SIMT_DEV static float small(uint32_t bits) { return simt::as_float(0x4b000000u | bits) - 8388608.0f; }

  SIMT_DEV static void unit(const Step& s, int u, CodeUnit& w) {
    const uint32_t row[2] = {s.scales.w[0] & 0xffffff, s.scales.w[0] >> 24 | (s.scales.w[1] & 0xffff) << 8};
    const float mine = simt::to_float(simt::F16{static_cast<uint16_t>(s.scales.w[1] >> 16)});
    const int quad = simt::lane() & ~3;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float d = simt::shuffle(mine, quad + 2 * r), min = simt::shuffle(mine, quad + 2 * r + 1);
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        const uint32_t fields = simt::shuffle(row[r], quad + 2 * u + p);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          w.scale[2 * p + h][r] = d * small(fields >> 12 * h & 63);
          w.offset[2 * p + h][r] = -min * small(fields >> (12 * h + 6) & 63);
        }
      }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) w.a[j][i] = s.codes[2 * u + j / 2].w[i] >> j % 2 * 4 & 0x0f0f0f0f;
  }
};
using fragments_of_q4_k = FragmentsQ4K;
