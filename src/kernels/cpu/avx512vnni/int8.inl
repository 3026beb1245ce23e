// Vectors of 16 floats, and of 64 bytes: the codes of two blocks, whose dot products are one instruction.
#include "kernels/cpu/avx2/int8.inl"
#include "kernels/cpu/avx512/f32.inl"

struct Avx512Vnni : Avx512<Int8Avx2> {
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

  // Pages of 64 codes of four bits in columns.
  static constexpr int kPages = 2;
  static constexpr bool kWideSums = true;
  static W load_page_nibbles(const void* page) {
    return _mm512_zextsi256_si512(_mm256_loadu_si256(static_cast<const __m256i*>(page)));
  }
  static W set_pages(const int32_t* of_pages) {
    return _mm512_mask_set1_epi32(_mm512_set1_epi32(of_pages[0]), 0xff00, of_pages[1]);
  }
  // Quarters of each: keys 0 to 3 and 16 to 19 of two pages, then 4 to 7 and 20 to 23, and so on.
  static void order_pages(W (&sums)[4]) {
    const W first = _mm512_shuffle_i64x2(sums[0], sums[1], 0x44), first2 = _mm512_shuffle_i64x2(sums[2], sums[3], 0x44);
    const W second = _mm512_shuffle_i64x2(sums[0], sums[1], 0xee), second2 = _mm512_shuffle_i64x2(sums[2], sums[3], 0xee);
    sums[0] = _mm512_shuffle_i64x2(first, first2, 0x88);
    sums[1] = _mm512_shuffle_i64x2(first, first2, 0xdd);
    sums[2] = _mm512_shuffle_i64x2(second, second2, 0x88);
    sums[3] = _mm512_shuffle_i64x2(second, second2, 0xdd);
  }
  static void interleave_fours(W (&m)[4]) {
    const __m512i low = _mm512_unpacklo_epi8(m[0], m[1]), high = _mm512_unpackhi_epi8(m[0], m[1]);
    const __m512i low2 = _mm512_unpacklo_epi8(m[2], m[3]), high2 = _mm512_unpackhi_epi8(m[2], m[3]);
    m[0] = _mm512_unpacklo_epi16(low, low2);
    m[1] = _mm512_unpackhi_epi16(low, low2);
    m[2] = _mm512_unpacklo_epi16(high, high2);
    m[3] = _mm512_unpackhi_epi16(high, high2);
  }
  static W low_bytes(const __m512 (&x)[4]) {
    const auto byte = [&](int i) __attribute__((always_inline)) {
      return _mm512_and_si512(_mm512_castps_si512(x[i]), _mm512_set1_epi32(255));
    };
    const __m512i low = _mm512_or_si512(byte(0), _mm512_slli_epi32(byte(1), 8));
    return _mm512_or_si512(low, _mm512_or_si512(_mm512_slli_epi32(byte(2), 16), _mm512_slli_epi32(byte(3), 24)));
  }

  // Registers enough: the compiler's order is as good as any.
  static void pin(W&) {}
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

  // Panels of 16 bits: vectors of 16 rows by 2 columns.
  static W low_halves(__m512 first, __m512 second) {
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_castps_si512(first),
                                   _mm512_slli_epi32(_mm512_castps_si512(second), 16));
  }
  static W add_w(W a, W b) { return _mm512_add_epi32(a, b); }
  static W dot_pairs(W sum, W a, W b) { return _mm512_dpwssd_epi32(sum, a, b); }
  static __m512 floats(W x) { return _mm512_cvtepi32_ps(x); }
  // 64 bytes of each, signed, as the 256-fold in 16 bits: 16 of the first beside 16 of the second in each vector, in order.
  static void interleave_bytes(const int8_t* first, const int8_t* second, W (&out)[4]) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i a = _mm512_permutexvar_epi32(order, load_w(first)), b = _mm512_permutexvar_epi32(order, load_w(second));
    const __m512i low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpackhi_epi8(a, b), zero = _mm512_setzero_si512();
    out[0] = _mm512_unpacklo_epi8(zero, low);
    out[1] = _mm512_unpackhi_epi8(zero, low);
    out[2] = _mm512_unpacklo_epi8(zero, high);
    out[3] = _mm512_unpackhi_epi8(zero, high);
  }
  // Signed bytes of two rows side by side: of 32 columns, 0 to 7 and 16 to 23, then the others.
  static void pair_bytes(__m256i first, __m256i second, W (&out)[2]) {
    out[0] = _mm512_cvtepi8_epi16(_mm256_unpacklo_epi8(first, second));
    out[1] = _mm512_cvtepi8_epi16(_mm256_unpackhi_epi8(first, second));
  }
  // Puts vectors of that order in the order of the columns.
  static void order_columns(W (&x)[2]) {
    const W a = x[0], b = x[1];
    x[0] = _mm512_shuffle_i64x2(a, b, 0x44);
    x[1] = _mm512_shuffle_i64x2(a, b, 0xee);
  }
  // Within each 16 bytes of all, four by four lanes.
  static void transpose_fours(__m512 (&m)[4]) {
    const __m512 low = _mm512_unpacklo_ps(m[0], m[1]), high = _mm512_unpackhi_ps(m[0], m[1]);
    const __m512 low2 = _mm512_unpacklo_ps(m[2], m[3]), high2 = _mm512_unpackhi_ps(m[2], m[3]);
    m[0] = _mm512_shuffle_ps(low, low2, 0x44);
    m[1] = _mm512_shuffle_ps(low, low2, 0xee);
    m[2] = _mm512_shuffle_ps(high, high2, 0x44);
    m[3] = _mm512_shuffle_ps(high, high2, 0xee);
  }
  // The power of two in x >= 2^-126, infinity where x is not finite.
  static __m512 power_of(__m512 x) { return _mm512_and_ps(x, _mm512_set1_ps(__builtin_inff())); }
  // The largest magnitudes in 32 columns of 16 rows.
  static __m512i largest_halves(const void* columns) {
    __m512i largest = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i)
      largest = _mm512_max_epu16(largest, _mm512_and_si512(_mm512_loadu_si512(static_cast<const __m512i*>(columns) + i),
                                                           _mm512_set1_epi16(0x7fff)));
    return largest;
  }
  static __m512 largest(const GroupF16* columns) {
    const __m512i both = largest_halves(columns);
    return _mm512_cvtph_ps(_mm256_max_epu16(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1)));
  }
  static __m512 largest(const GroupBf16* pairs) {
    const __m512i both = largest_halves(pairs);
    return _mm512_castsi512_ps(
        _mm512_max_epu32(_mm512_slli_epi32(both, 16), _mm512_and_si512(both, _mm512_set1_epi32(-65536))));
  }
  // To integers, rounded to nearest even; |x| <= 32767.
  static void store_i16(int16_t* p, __m512 x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(x)));
  }

  static void store_i16(int16_t* p, __m512 x, __m512 y) {
    store_i16(p, x);
    store_i16(p + 16, y);
  }

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
