// iq4_xs in fragments, for GPU kernels.
struct FragmentsIq4Xs {
  using Codes = LevelCodes<256, kIq4Levels>;
  static constexpr uint32_t kId = BlockIq4Xs::kId;
  static constexpr int kColumns = 256, kUnits = 2, kParts = 1, kBytes = Codes::Planes::kBytes + 128;
  static constexpr bool kOffsets = false;
  struct Step {
    Codes::Planes codes;
    simt::Words2 scales;  // of row lane % 16: d and two bits of each part's scale; four bits of each
  };
  SIMT_DEV static Step load(const std::byte* at) {
    return {Codes::Planes::load(at), simt::load_stream8(at + Codes::Planes::kBytes + simt::lane() % 16 * 8)};
  }
  SIMT_DEV static void unit(const Step& s, int u, CodeUnit<1>& w) {
    Codes::fill(s.codes, u, w.a);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = simt::lane() / 4 + 8 * r;
      const uint32_t first = simt::shuffle(s.scales.w[0], row), low = simt::shuffle(s.scales.w[1], row) >> 16 * u;
      const float d = simt::to_float(simt::F16{static_cast<uint16_t>(first)});
      const uint32_t high = first >> (16 + 8 * u);
#pragma unroll
      for (int j = 0; j < 4; ++j) w.scale[j][0][r] = d * byte_less((low >> 4 * j & 15) | (high >> 2 * j & 3) << 4, 0, 32);
    }
  }
};
using fragments_of_iq4_xs = FragmentsIq4Xs;
