// mxfp4 in fragments, for GPU kernels.
struct FragmentsMxfp4 {
  using Codes = LevelCodes<128, kMxfp4Levels>;
  static constexpr uint32_t kId = BlockMxfp4::kId;
  static constexpr int kColumns = 128, kUnits = 1, kParts = 1, kBytes = Codes::Planes::kBytes + 64;
  static constexpr bool kOffsets = false;
  struct Step {
    Codes::Planes codes;
    uint32_t exponents;  // of row lane % 16
  };
  SIMT_DEV static Step load(const std::byte* at) {
    return {Codes::Planes::load(at), simt::load_stream4(at + Codes::Planes::kBytes + simt::lane() % 16 * 4)};
  }
  SIMT_DEV static void unit(const Step& s, int, CodeUnit<1>& w) {
    Codes::fill(s.codes, 0, w.a);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const uint32_t exponents = simt::shuffle(s.exponents, simt::lane() / 4 + 8 * r);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const uint32_t e = exponents >> 8 * j & 255;
        w.scale[j][0][r] = simt::as_float(e < 2 ? 0x00200000U << e : (e - 1) << 23);  // as mxfp4_scale
      }
    }
  }
};
using fragments_of_mxfp4 = FragmentsMxfp4;
