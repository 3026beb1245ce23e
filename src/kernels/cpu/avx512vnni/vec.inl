// Vectors of 16 floats, and of 64 bytes: the codes of two blocks, whose dot products are one instruction.
#include "kernels/cpu/avx2/int8.inl"
#include "kernels/cpu/avx512/f32.inl"

struct V : Avx512<Int8Avx2> {
  using Int8Avx2::load_nibbles;
  using I8x2 = __m512i;

  // Panels: vectors of 16 rows by 4 columns of unsigned weights, and 4 activations in all lanes.
  using W = __m512i;
  static constexpr int kTileTokens = 6;
  static W load_w(const void* p) { return _mm512_loadu_si512(p); }
  static void store_w(void* p, W x) { _mm512_storeu_si512(p, x); }
  static W set1_w(int32_t x) { return _mm512_set1_epi32(x); }
  static W low_nibbles(W x) { return _mm512_and_si512(x, _mm512_set1_epi8(15)); }
  // (x >> right) & mask of each byte; to the left where `right` is negative.
  static W bits(W x, int right, int mask) {
    const __m512i shifted = right > 0   ? _mm512_srli_epi16(x, static_cast<unsigned>(right))
                            : right < 0 ? _mm512_slli_epi16(x, static_cast<unsigned>(-right))
                                        : x;
    return _mm512_and_si512(shifted, _mm512_set1_epi8(static_cast<char>(mask)));
  }
  static W either(W a, W b) { return _mm512_or_si512(a, b); }
  static W lookup(const uint8_t (&levels)[16], W numbers) {
    const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(levels));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), numbers);
  }
  static W high_nibbles(W x) { return _mm512_and_si512(_mm512_srli_epi16(x, 4), _mm512_set1_epi8(15)); }

  // Registers enough: the compiler's order is as good as any.
  static void settle(W&) {}
  static void step_done() {}

  // Sums of a block's products with weights less kOffset; `start` is -128 times the sum of its activations.
  template <int kOffset, int>
  struct Dot {
    using Sum = __m512i;
    static Sum start(int32_t start) {
      if constexpr (kOffset == 0) return _mm512_setzero_si512();
      const __m512i all = _mm512_set1_epi32(start);
      return kOffset == 128 ? all : _mm512_srai_epi32(all, __builtin_ctz(128 / (kOffset ? kOffset : 1)));
    }
    static Sum dot(Sum sum, W w, W x) { return _mm512_dpbusd_epi32(sum, w, x); }
    static __m512 finish(Sum sum, int32_t) { return _mm512_cvtepi32_ps(sum); }
  };

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
