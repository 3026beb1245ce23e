// q6_k in fragments, for GPU kernels.
struct FragmentsQ6K {
  using Codes = CentredCodes<256, 4, 2>;
  static constexpr uint32_t kId = BlockQ6K::kId;
  static constexpr int kColumns = 256, kUnits = 2, kParts = 2, kScales = Codes::Planes::kBytes, kBytes = kScales + 288;
  static constexpr bool kOffsets = false;
  struct Step {
    Codes::Planes codes;
    simt::Words2 scales;  // of row lane / 2: those of a unit
    uint32_t d;           // of rows lane % 8 and 8 more
  };
  SIMT_DEV static Step load(const std::byte* at) {
    return {Codes::Planes::load(at), simt::load_stream8(at + kScales + simt::lane() * 8),
            simt::load_stream4(at + kScales + 256 + simt::lane() % 8 * 4)};
  }
  SIMT_DEV static void unit(const Step& s, int u, CodeUnit<2>& w) {
    Codes::fill(s.codes, u, w.a);
    const simt::Float2 both = simt::halves(simt::shuffle(s.d, simt::lane() / 4));
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float d = (r ? both.y : both.x) * Codes::kFactor;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint32_t scales = simt::shuffle(s.scales.w[i], (simt::lane() / 4 + 8 * r) * 2 + u) ^ 0x80808080U;
#pragma unroll
        for (int part = 0; part < 4; ++part) w.scale[2 * i + part / 2][part % 2][r] = d * byte_less(scales, part, 128);
      }
    }
  }
};
using fragments_of_q6_k = FragmentsQ6K;
