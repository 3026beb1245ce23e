// Codes of weights in fragments, for GPU kernels (kernels/gpu/code_products.cu): the lane's part of planes (CodePlane of
// quant/fragments.h), and what becomes of it for products of signed bytes.

template <int kColumns, int kBits>
struct FragmentPlane {
  static constexpr int kWords = kColumns * kBits / 64, kBytes = kWords * 4 * simt::kWarp;
  uint32_t w[kWords];

  SIMT_DEV static FragmentPlane load(const std::byte* at) {
    FragmentPlane p;
#pragma unroll
    for (int i = 0; i + 4 <= kWords; i += 4) {
      const simt::Words4 words = simt::load_stream(at + i * 4 * simt::kWarp + simt::lane() * 16);
#pragma unroll
      for (int k = 0; k < 4; ++k) p.w[i + k] = words.w[k];
    }
    if constexpr (kWords % 4 == 2) {
      const simt::Words2 words = simt::load_stream8(at + (kWords - 2) * 4 * simt::kWarp + simt::lane() * 8);
      p.w[kWords - 2] = words.w[0];
      p.w[kWords - 1] = words.w[1];
    }
    return p;
  }
  /// The bits of word `n`'s four codes, from bit `to` of each byte on.
  SIMT_DEV uint32_t at(int n, int to) const {
    const uint32_t word = w[n * kBits / 8], mask = ((1U << kBits) - 1) * 0x01010101U;
    const int from = n * kBits % 8;
    return (to >= from ? word << (to - from) : word >> (from - to)) & mask << to;
  }
};

/// Codes of kLow bits in one plane, and perhaps kHigh upper ones in a second.
template <int kColumns, int kLow, int kHigh>
struct FragmentPlanes {
  static constexpr int kBits = kLow + kHigh, kBytes = kColumns * kBits * 2;
  FragmentPlane<kColumns, kLow> low;
  FragmentPlane<kColumns, kHigh> high;
  SIMT_DEV static FragmentPlanes load(const std::byte* at) {
    return {FragmentPlane<kColumns, kLow>::load(at), FragmentPlane<kColumns, kHigh>::load(at + kColumns * kLow * 2)};
  }
  SIMT_DEV uint32_t at(int n, int to) const { return low.at(n, to) | high.at(n, to + kLow); }
};
template <int kColumns, int kLow>
struct FragmentPlanes<kColumns, kLow, 0> : FragmentPlane<kColumns, kLow> {
  static constexpr int kBits = kLow;
  SIMT_DEV static FragmentPlanes load(const std::byte* at) { return {FragmentPlane<kColumns, kLow>::load(at)}; }
};

/// Codes from 0 on, or signed bytes as they are. `fill`: what a unit's products take; kFactor: of the scales.
template <int kColumns, int kLow, int kHigh = 0>
struct PlainCodes {
  using Planes = FragmentPlanes<kColumns, kLow, kHigh>;
  static constexpr float kFactor = 1;
  SIMT_DEV static void fill(const Planes& planes, int unit, uint32_t (&a)[4][4]) {
#pragma unroll
    for (int n = 0; n < 16; ++n) a[n / 4][n % 4] = planes.at(unit * 16 + n, 0);
  }
};

/// Codes around 0, half of whose numbers are negative: as a byte's upper bits they are signed with one exclusive or.
template <int kColumns, int kLow, int kHigh = 0>
struct CentredCodes {
  using Planes = FragmentPlanes<kColumns, kLow, kHigh>;
  static constexpr int kShift = 8 - Planes::kBits;
  static constexpr float kFactor = 1.0f / (1 << kShift);
  SIMT_DEV static void fill(const Planes& planes, int unit, uint32_t (&a)[4][4]) {
#pragma unroll
    for (int n = 0; n < 16; ++n) a[n / 4][n % 4] = planes.at(unit * 16 + n, kShift) ^ 0x80808080U;
  }
};

/// Nibbles that name sixteen levels of eight bits.
template <int kColumns, const int8_t (&kLevels)[16]>
struct LevelCodes {
  using Planes = FragmentPlanes<kColumns, 4, 0>;
  static constexpr float kFactor = 1;
  // The levels that the four nibbles of the selector name.
  SIMT_DEV static uint32_t levels(uint32_t selector) {
    constexpr uint64_t kLower = kPackedLevels<kLevels, 0>, kUpper = kPackedLevels<kLevels, 8>;
    const uint32_t in_half = selector & 0x7777U;
    const uint32_t lower = simt::permute(static_cast<uint32_t>(kLower), static_cast<uint32_t>(kLower >> 32), in_half);
    const uint32_t upper = simt::permute(static_cast<uint32_t>(kUpper), static_cast<uint32_t>(kUpper >> 32), in_half);
    return simt::permute(lower, upper, 0x3210U | (selector & 0x8888U) >> 1);
  }
  // A word has the nibbles of two words of codes by turns.
  SIMT_DEV static void fill(const Planes& planes, int unit, uint32_t (&a)[4][4]) {
#pragma unroll
    for (int n = 0; n < 16; n += 2) {
      const uint32_t nibbles = planes.w[unit * 8 + n / 2], first = levels(nibbles), second = levels(nibbles >> 16);
      a[n / 4][n % 4] = simt::permute(first, second, 0x6420U);
      a[n / 4][n % 4 + 1] = simt::permute(first, second, 0x7531U);
    }
  }
};

/// Blocks of 32 with a scale of 16 bits and perhaps a minimum: steps of 128 columns.
template <class Block, class Codes, bool kMins = false>
struct FragmentsOfBlocks {
  static constexpr uint32_t kId = Block::kId;
  static constexpr int kColumns = 128, kUnits = 1, kParts = 1;
  static constexpr int kScales = Codes::Planes::kBytes, kBytes = kScales + (kMins ? 256 : 128);
  static constexpr bool kOffsets = kMins;
  struct Step {
    typename Codes::Planes codes;
    uint32_t scales, mins;
  };
  SIMT_DEV static Step load(const std::byte* at) {
    Step s;
    s.codes = Codes::Planes::load(at);
    s.scales = simt::load_stream4(at + kScales + simt::lane() * 4);
    if (kMins) s.mins = simt::load_stream4(at + kScales + 128 + simt::lane() * 4);
    return s;
  }
  SIMT_DEV static void unit(const Step& s, int, CodeUnit<1>& w) {
    Codes::fill(s.codes, 0, w.a);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int from = j * 8 + simt::lane() / 4;
      const simt::Float2 d = simt::halves(simt::shuffle(s.scales, from));
      w.scale[j][0][0] = d.x * Codes::kFactor;
      w.scale[j][0][1] = d.y * Codes::kFactor;
      if constexpr (!kMins) continue;
      const simt::Float2 m = simt::halves(simt::shuffle(s.mins, from));
      w.offset[j][0][0] = m.x;
      w.offset[j][0][1] = m.y;
    }
  }
};
