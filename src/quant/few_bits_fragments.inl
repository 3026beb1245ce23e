// Shared by q1_0, q2_0 and tq2_0 in fragments (quant/few_bits_fragments.h), for GPU kernels: a value is d * (kTimes * code -
// 1).
template <class Block, int kBits, int kTimes, int kStepColumns>
struct FragmentsOfFewBits {
  using Codes = PlainCodes<kStepColumns, kBits>;
  static constexpr uint32_t kId = Block::kId;
  static constexpr int kColumns = kStepColumns, kUnits = kColumns / 128, kParts = 1, kBlocks = kColumns / Block::kSize;
  static constexpr int kBytes = Codes::Planes::kBytes + kBlocks * 32;
  static constexpr bool kOffsets = true;
  struct Step {
    typename Codes::Planes codes;
    uint32_t scales;  // of a block of rows lane % 8 and 8 more
  };
  SIMT_DEV static Step load(const std::byte* at) {
    return {Codes::Planes::load(at), simt::load_stream4(at + Codes::Planes::kBytes + simt::lane() % (8 * kBlocks) * 4)};
  }
  SIMT_DEV static void unit(const Step& s, int u, CodeUnit<1>& w) {
    Codes::fill(s.codes, u, w.a);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int block = (u * 128 + j * 32) / Block::kSize;
      const simt::Float2 d = simt::halves(simt::shuffle(s.scales, block * 8 + simt::lane() / 4));
      w.scale[j][0][0] = kTimes * d.x;
      w.scale[j][0][1] = kTimes * d.y;
      w.offset[j][0][0] = -d.x;
      w.offset[j][0][1] = -d.y;
    }
  }
};
