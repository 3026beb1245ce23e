// q3_k in fragments, for GPU kernels.
struct FragmentsQ3K {
  using Codes = CentredCodes<256, 2, 1>;
  static constexpr uint32_t kId = BlockQ3K::kId;
  static constexpr int kColumns = 256, kUnits = 2, kParts = 2, kScales = Codes::Planes::kBytes, kBytes = kScales + 224;
  static constexpr bool kOffsets = false;
  struct Step {
    Codes::Planes codes;
    uint32_t low;   // of row lane / 2: nibbles of four parts of each unit
    uint32_t high;  // of row lane % 16: two bits of all parts
    uint32_t d;     // of rows lane % 8 and 8 more
  };
  SIMT_DEV static Step load(const std::byte* at) {
    const std::byte* scales = at + kScales;
    return {Codes::Planes::load(at), simt::load_stream4(scales + simt::lane() * 4),
            simt::load_stream4(scales + 128 + simt::lane() % 16 * 4),
            simt::load_stream4(scales + 192 + simt::lane() % 8 * 4)};
  }
  SIMT_DEV static void unit(const Step& s, int u, CodeUnit<2>& w) {
    Codes::fill(s.codes, u, w.a);
    const simt::Float2 both = simt::halves(simt::shuffle(s.d, simt::lane() / 4));
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = simt::lane() / 4 + 8 * r;
      const float d = (r ? both.y : both.x) * Codes::kFactor;
      const uint32_t high = simt::shuffle(s.high, row);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint32_t low = simt::shuffle(s.low, 2 * row + i) >> 4 * u & 0x0f0f0f0fU;
        const uint32_t scales = low | (high >> (4 * u + 2 * i) & 0x03030303U) << 4;
#pragma unroll
        for (int part = 0; part < 4; ++part) w.scale[2 * i + part / 2][part % 2][r] = d * byte_less(scales, part, 32);
      }
    }
  }
};
using fragments_of_q3_k = FragmentsQ3K;
