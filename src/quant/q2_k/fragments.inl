// q2_k in fragments, for GPU kernels: a value is d * scale * code - min * offset.
struct FragmentsQ2K {
  using Codes = PlainCodes<256, 2>;
  static constexpr uint32_t kId = BlockQ2K::kId;
  static constexpr int kColumns = 256, kUnits = 2, kParts = 2, kScales = Codes::Planes::kBytes, kBytes = kScales + 320;
  static constexpr bool kOffsets = true;
  struct Step {
    Codes::Planes codes;
    simt::Words2 parts;  // of row lane / 2: those of a unit
    uint32_t lines;      // d and min of row lane % 16
  };
  SIMT_DEV static Step load(const std::byte* at) {
    return {Codes::Planes::load(at), simt::load_stream8(at + kScales + simt::lane() * 8),
            simt::load_stream4(at + kScales + 256 + simt::lane() % 16 * 4)};
  }
  SIMT_DEV static void unit(const Step& s, int u, CodeUnit<2>& w) {
    Codes::fill(s.codes, u, w.a);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = simt::lane() / 4 + 8 * r;
      const simt::Float2 line = simt::halves(simt::shuffle(s.lines, row));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint32_t parts = simt::shuffle(s.parts.w[i], 2 * row + u);
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          w.scale[2 * i + part / 2][part % 2][r] = line.x * byte_less(parts & 0x0f0f0f0fU, part, 0);
          w.offset[2 * i + part / 2][part % 2][r] = -line.y * byte_less(parts >> 4 & 0x0f0f0f0fU, part, 0);
        }
      }
    }
  }
};
using fragments_of_q2_k = FragmentsQ2K;
