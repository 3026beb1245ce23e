// nvfp4 in fragments, for GPU kernels.
struct FragmentsNvfp4 {
  using Codes = LevelCodes<128, kMxfp4Levels>;
  static constexpr uint32_t kId = BlockNvfp4::kId;
  static constexpr int kColumns = 128, kUnits = 1, kParts = 2, kBytes = Codes::Planes::kBytes + 128;
  static constexpr bool kOffsets = false;
  struct Step {
    Codes::Planes codes;
    uint32_t scales;  // of row lane / 2: four of eight
  };
  SIMT_DEV static Step load(const std::byte* at) {
    return {Codes::Planes::load(at), simt::load_stream4(at + Codes::Planes::kBytes + simt::lane() * 4)};
  }
  // Half of the E4M3 number. Its bits are those of an f16 that has another bias, also where it is denormal.
  SIMT_DEV static float scale(uint32_t code) { return 128 * simt::to_float(simt::F16{static_cast<uint16_t>(code << 7)}); }
  SIMT_DEV static void unit(const Step& s, int, CodeUnit<2>& w) {
    Codes::fill(s.codes, 0, w.a);
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int block = 0; block < 2; ++block) {
        const uint32_t scales = simt::shuffle(s.scales, (simt::lane() / 4 + 8 * r) * 2 + block);
#pragma unroll
        for (int part = 0; part < 4; ++part) w.scale[2 * block + part / 2][part % 2][r] = scale(scales >> 8 * part & 255);
      }
  }
};
using fragments_of_nvfp4 = FragmentsNvfp4;
