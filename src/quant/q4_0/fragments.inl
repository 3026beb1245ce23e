// q4_0 in fragments, for GPU kernels: a value is d * code - 8 d.
struct FragmentsQ4_0 {
  static constexpr uint32_t kId = BlockQ4_0::kId;
  static constexpr int kColumns = 128, kUnits = 1, kBytes = 2 * 512 + 128;
  static constexpr bool kOffsets = true;
  struct Step {
    simt::Words4 codes[2];
    uint32_t scales;
  };
  SIMT_DEV static Step load(const std::byte* at) {
    Step s;
#pragma unroll
    for (int p = 0; p < 2; ++p) s.codes[p] = simt::load_stream(at + p * 512 + simt::lane() * 16);
    s.scales = simt::load_stream4(at + 1024 + simt::lane() * 4);
    return s;
  }
  SIMT_DEV static void unit(const Step& s, int, CodeUnit& w) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const simt::Float2 d = simt::halves(simt::shuffle(s.scales, j * 8 + simt::lane() / 4));
      w.scale[j][0] = d.x;
      w.scale[j][1] = d.y;
      w.offset[j][0] = -8 * d.x;
      w.offset[j][1] = -8 * d.y;
#pragma unroll
      for (int i = 0; i < 4; ++i) w.a[j][i] = s.codes[j / 2].w[i] >> j % 2 * 4 & 0x0f0f0f0f;
    }
  }
};
using fragments_of_q4_0 = FragmentsQ4_0;
