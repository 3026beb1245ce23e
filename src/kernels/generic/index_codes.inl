// Codes of the key index: whose they are, and those of four bits of one dimension and page.
#pragma once

// The index whose codes are C.
template <class C>
constexpr KeyIndex index_of() {
  return sizeof(C) == 1 ? KeyIndex::kInt8 : KeyIndex::kF16;
}

// The page's least number, a step's inverse, 0 where steps are too small for one, and what a reader of the codes needs.
struct NibbleRange {
  float least, inverse, scale, centre;
};

inline NibbleRange nibble_range(float least, float most) {
  const float scale = (most - least) / 15.0f;
  const bool flat = scale < __FLT_MIN__;
  return {least, flat ? 0.0f : 1.0f / scale, flat ? 0.0f : scale, 0.5f * (least + most) + 0.0f};  // no negative zero
}

// Writes the page's codes, 0 to 15 of its keys in order, and its numbers.
inline void store_nibbles(const int8_t* codes, const NibbleRange& range, const StoreIndexArgs& a, int64_t dim) {
  const IndexColumns shape{a.run_keys, KeyIndex::kInt4};
  std::byte* const column = a.run + dim * shape.stride();
  const auto number = [&](int64_t numbers) { return reinterpret_cast<float*>(column + numbers + shape.numbers(a.first)); };
  *number(shape.scales()) = range.scale;
  *number(shape.centres()) = range.centre;
  constexpr int64_t kHalf = kPageKeys / 2;
  auto* const pairs = reinterpret_cast<uint8_t*>(column + shape.codes(a.first));
  for (int64_t i = 0; i < kHalf; ++i) pairs[i] = static_cast<uint8_t>((codes[i] & 15) | (codes[i + kHalf] & 15) << 4);
}
