// Shared by q4_k and q5_k in fragments (quant/lined_fragments.h), for GPU kernels: a value is d * scale * code - min *
// offset.
template <class Block, class Codes>
struct FragmentsLined {
  static constexpr uint32_t kId = Block::kId;
  static constexpr int kColumns = 256, kUnits = 2, kParts = 1, kBytes = Codes::Planes::kBytes + 256;
  static constexpr bool kOffsets = true;
  struct Step {
    typename Codes::Planes codes;
    simt::Words2 scales;
  };
  SIMT_DEV static Step load(const std::byte* at) {
    return {Codes::Planes::load(at), simt::load_stream8(at + Codes::Planes::kBytes + simt::lane() * 8)};
  }
  // Six bits as a float without a conversion: the number is the mantissa of 2^23.
  SIMT_DEV static float small(uint32_t bits) { return simt::as_float(0x4b000000u | bits) - 8388608.0f; }

  SIMT_DEV static void unit(const Step& s, int u, CodeUnit<1>& w) {
    Codes::fill(s.codes, u, w.a);
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
          w.scale[2 * p + h][0][r] = d * small(fields >> 12 * h & 63);
          w.offset[2 * p + h][0][r] = -min * small(fields >> (12 * h + 6) & 63);
        }
      }
    }
  }
};
