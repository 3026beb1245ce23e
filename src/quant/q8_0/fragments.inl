// q8_0 in fragments, for GPU kernels.
struct FragmentsQ8_0 {
  static constexpr uint32_t kId = BlockQ8_0::kId;
  static constexpr int kColumns = 128, kUnits = 1, kBytes = 4 * 512 + 128;
  static constexpr bool kOffsets = false;
  struct Step {
    simt::Words4 codes[4];
    uint32_t scales;
  };
  SIMT_DEV static Step load(const std::byte* at) {
    Step s;
#pragma unroll
    for (int j = 0; j < 4; ++j) s.codes[j] = simt::load_stream(at + j * 512 + simt::lane() * 16);
    s.scales = simt::load_stream4(at + 2048 + simt::lane() * 4);
    return s;
  }
  SIMT_DEV static void unit(const Step& s, int, CodeUnit& w) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const simt::Float2 d = simt::halves(simt::shuffle(s.scales, j * 8 + simt::lane() / 4));
      w.scale[j][0] = d.x;
      w.scale[j][1] = d.y;
#pragma unroll
      for (int i = 0; i < 4; ++i) w.a[j][i] = s.codes[j].w[i];
    }
  }
};
using fragments_of_q8_0 = FragmentsQ8_0;
