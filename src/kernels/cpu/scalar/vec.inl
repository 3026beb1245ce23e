// The reference has no vectors: a block's values one by one, exactly.
struct V {};

inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16, exponent = (h >> 10) & 31u, mantissa = h & 0x3ffu;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * static_cast<float>(mantissa) * 0x1p-24f;
  const uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

inline float value_of(const BlockF32& b) { return b.x; }
inline float value_of(const BlockI8& b) { return b.x; }
inline float value_of(const BlockF16& b) { return half_to_float(b.x); }
inline float value_of(const BlockBf16& b) {
  const uint32_t bits = static_cast<uint32_t>(b.x) << 16;
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

inline int code_of(const BlockQ8_0& b, int i) { return b.q[i]; }
inline int code_of(const BlockQ4_0& b, int i) { return (i < 16 ? b.q[i] & 15 : b.q[i - 16] >> 4) - 8; }

// Column c of a panel's row; of integers the code of a block's column, without the offset that makes it unsigned.
inline float column_of(const GroupF32* g, int64_t c, int64_t r) { return g[c].x[r]; }
inline float column_of(const GroupF16* g, int64_t c, int64_t r) { return half_to_float(g[c].x[r]); }
inline float column_of(const GroupBf16* g, int64_t c, int64_t r) { return value_of(BlockBf16{g[c / 2].x[r][c % 2]}); }
inline int column_of(const GroupQ8_0& g, int block, int c, int64_t r) { return g.q[block][c / 4][r][c % 4] - 128; }
inline int column_of(const GroupQ4_0& g, int block, int c, int64_t r) {
  const int both = g.q[block][c % 16 / 4][r][c % 4];
  return (c < 16 ? both & 15 : both >> 4) - 8;
}

// Bits of column c of a block.
template <int kBits>
int plane_of(const uint8_t (&plane)[kBits][16][4], int c, int64_t r) {
  const int step = c / 4;
  return plane[step % kBits][r][c % 4] >> step / kBits * kBits & ((1 << kBits) - 1);
}

template <class B>
int code_of_column(const typename B::Group& g, int block, int c, int64_t r) {
  if constexpr (requires { g.codes; }) {
    const auto& codes = g.codes[block];
    int code = plane_of(codes.low, c, r);
    if constexpr (requires { codes.high; }) code |= plane_of(codes.high, c, r) << codes.kLowBits;
    code <<= code_shift<B>();
    if constexpr (requires { B::levels(); }) {
      constexpr PanelLevels kLevels = B::levels();
      code = kLevels.of[code];
    }
    return code - B::kOffset;
  } else {
    return column_of(g, block, c, r);
  }
}

template <class B>
double panel_scale(const typename B::Group& g, int block, int part, int64_t r) {
  using Group = typename B::Group;
  if constexpr (requires { g.scales; }) {
    const double scale = static_cast<double>(half_to_float(g.d[r])) * g.scales[block * Group::kParts + part][r];
    if constexpr (requires { B::kPanelScale; }) return scale * static_cast<double>(B::kPanelScale);
    return scale;
  } else if constexpr (requires { g.e; }) {
    return exp2(g.e[block][r] - 128);
  } else if constexpr (requires { g.short_d; }) {
    const uint16_t half = static_cast<uint16_t>(g.short_d[block * Group::kParts + part][r] << 7);
    return static_cast<double>(half_to_float(half));
  } else if constexpr (std::rank_v<decltype(Group::d)> == 1) {
    return static_cast<double>(half_to_float(g.d[r]));
  } else {
    constexpr int kOfScale = Group::kBlocks / static_cast<int>(std::extent_v<decltype(Group::d)>);
    return static_cast<double>(half_to_float(g.d[block / kOfScale][r]));
  }
}

// The addend of the weights of a block's part.
template <class Group>
double panel_min(const Group& g, int block, int part, int64_t r) {
  if constexpr (requires { g.mins; })
    return static_cast<double>(half_to_float(g.min[r])) * g.mins[block * Group::kParts + part][r];
  else if constexpr (requires { g.min; })
    return static_cast<double>(half_to_float(g.min[block][r]));
  else
    return 0;
}
