// Vectors of 16 floats, and of 64 bytes: the codes of two blocks, whose dot products are one instruction.
#include "kernels/cpu/avx2/int8.inl"
#include "kernels/cpu/avx512/f32.inl"

struct V : Avx512<Int8Avx2> {
  using Int8Avx2::load_nibbles;
  using I8x2 = __m512i;

  static I8x2 join(__m256i a, __m256i b) { return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1); }
  static I8x2 plus_128(I8x2 x) { return _mm512_xor_si512(x, _mm512_set1_epi8(-128)); }
  // Per block: low nibbles, then high nibbles.
  static I8x2 load_nibbles(const uint8_t* a, const uint8_t* b) {
    const __m256i bytes =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a))),
                                _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)), 1);
    const __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
    return _mm512_permutex2var_epi64(_mm512_castsi256_si512(low), _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                                     _mm512_castsi256_si512(high));
  }
};
