// The numbers of one component of a coded page.
#pragma once

// f16 bits, and for the codes the least number and a step's inverse: 0 where there are no steps.
struct CodeRange {
  uint16_t scale, least;
  float first, inverse;
};

// Of keys from `least` to `most`, none of which is larger than `largest`; it is not finite where one of them is not.
// Half: to_half(float) and from_half(uint16_t).
template <class Half>
inline CodeRange code_range(float least, float most, float largest, int steps) {
  if (!(largest <= __FLT_MAX__)) return {0x7e00, 0, 0, 0};
  const float first = least + 0.0f;  // no negative zero
  const float step = (most - first) / static_cast<float>(steps);
  uint16_t scale = Half::to_half(step);
  if (Half::from_half(scale) < step) ++scale;
  return {scale, Half::to_half(first), first, scale ? 1.0f / Half::from_half(scale) : 0.0f};
}

// 32 codes, those of four bits from 0 to 15.
inline void store_codes(const int8_t* codes, BlockCodeNibbles* to) {
  for (int i = 0; i < 16; ++i) to->q[i] = static_cast<uint8_t>((codes[i] & 15) | (codes[i + 16] & 15) << 4);
}
inline void store_codes(const int8_t* codes, BlockCodeByte* to) { std::memcpy(to, codes, 32); }

// The codes of a page's keys of the components [c, c + 32).
using CodeSquare = int8_t[kPageKeys][32];

template <class B>
inline void store_codes(const CodeSquare& codes, const CodedPage& shape, int64_t c, std::byte* page) {
  const auto at = [&](int64_t row, int64_t first) {
    return reinterpret_cast<B*>(page + row * shape.stride()) + first / B::kSize;
  };
  if (shape.order == KeyOrder::kRows) {
    for (int64_t i = 0; i < kPageKeys; ++i) store_codes(codes[i], at(i, c));
    return;
  }
  for (int64_t j = 0; j < 32; ++j)
    for (int64_t i = 0; i < kPageKeys; i += 32) {
      int8_t column[32];
      for (int64_t k = 0; k < 32; ++k) column[k] = codes[i + k][j];
      store_codes(column, at(c + j, i));
    }
}

template <class B>
constexpr KeyCodes codes_of() {
  return B::kSize == 1 ? KeyCodes::kBytes : KeyCodes::kNibbles;
}
