// Vectors of 16 floats; the int8 part comes with the base class.
template <class Int8>
struct Avx512 : Int8 {
  using F = __m512;
  static constexpr int kWidth = 16;
  static constexpr int kTokens = 4;             // tokens per matmul tile: 4 x 4 accumulators of the 32 registers
  static constexpr int kAccumulators = 16;      // attention over the cache: the others hold the data that is read
  static constexpr int kGemmRows = 14;          // attention over panels: 14 x 2 accumulators
  static constexpr int kKeysTogether = 1;       // scores of keys in rows
  static constexpr bool kAsksForPages = false;  // attention over the cache: for the next page, evenly, or a fixed way ahead
  static constexpr int kPageStreams = 1;        // parts of it that are asked for side by side
  static constexpr int kUnaskedHeads = 0;       // that pass over pages of floats without asking for the next
  static constexpr int kAheadHeads = 0;         // that ask a fixed way ahead there
  static constexpr int kAskLevel = 3;           // of __builtin_prefetch: weights and pages go into L1 (3) or L2 (2)
  static constexpr int64_t kAskBytes = kPrefetchBytes;  // ahead of which few tokens ask for weights in panels
  static constexpr bool kIndexByStreams = false;        // index_streams.inl or index.inl

  static F zero() { return _mm512_setzero_ps(); }
  static F set1(float x) { return _mm512_set1_ps(x); }
  static F load(const float* p) { return _mm512_loadu_ps(p); }
  // Four floats, four times each.
  static F each_four_times(const float* p) {
    const __m512i order = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(order, _mm512_castps128_ps512(_mm_loadu_ps(p)));
  }
  static void store(float* p, F x) { _mm512_storeu_ps(p, x); }
  static F load_f16(const void* p) { return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p))); }
  static F load_bf16(const void* p) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p))), 16));
  }
  // Of pairs, the first of each and the second.
  static F load_bf16_even(const void* p) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(p), 16)); }
  static F load_bf16_odd(const void* p) {
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(p), _mm512_set1_epi32(-65536)));
  }
  static void store_f16(void* p, F x) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  // Round to nearest even in the upper 16 bits. A NaN loses the others first, which might carry.
  static void store_bf16(void* p, F x) {
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i whole = _mm512_castps_si512(x);
    const __m512i bits = _mm512_mask_and_epi32(whole, nan, whole, _mm512_set1_epi32(-65536));
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
    _mm256_storeu_si256(static_cast<__m256i*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16)));
  }
  // To signed bytes, rounded to nearest even; |x| <= 127.
  static void store_i8(int8_t* p, F x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(x)));
  }

  static F add(F a, F b) { return _mm512_add_ps(a, b); }
  static F sub(F a, F b) { return _mm512_sub_ps(a, b); }
  static F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static F div(F a, F b) { return _mm512_div_ps(a, b); }
  static F max(F a, F b) { return _mm512_max_ps(a, b); }
  // max(a, |x|) for a >= 0, and the largest of such lanes; a NaN is larger than all numbers.
  static F max_magnitude(F a, F x) {
    return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(a), _mm512_castps_si512(_mm512_abs_ps(x))));
  }
  static float max_of_magnitudes(F x) {
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(_mm512_reduce_max_epi32(_mm512_castps_si512(x)))));
  }
  static F abs_f(F a) { return _mm512_abs_ps(a); }
  static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static F round_half_up(F a) { return _mm512_roundscale_ps(add(a, set1(0.5f)), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
  static F load_i8_floats(const int8_t* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  // kWidth bytes.
  static F load_bytes(const int8_t* p) { return load_i8_floats(p); }
  static F load_bytes(const uint8_t* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  // 2^(byte - 128), 0 where that is denormal.
  static F load_powers(const uint8_t* p) {
    const __m512i e = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    const __m512i less = _mm512_max_epi32(_mm512_sub_epi32(e, _mm512_set1_epi32(1)), _mm512_setzero_si512());
    return _mm512_castsi512_ps(_mm512_slli_epi32(less, 23));
  }
  // Halves of which these bytes are bits 7 to 14 and the others 0.
  static F load_short_f16(const uint8_t* p) {
    const __m256i bytes = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm512_cvtph_ps(_mm256_slli_epi16(bytes, 7));
  }
  // The nibbles of kWidth bytes, 0 to 15.
  static F load_low_nibbles(const uint8_t* p) {
    const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm512_cvtepi32_ps(_mm512_and_si512(bytes, _mm512_set1_epi32(15)));
  }
  static F load_high_nibbles(const uint8_t* p) {
    const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm512_cvtepi32_ps(_mm512_srli_epi32(bytes, 4));
  }
  static F set_half(uint16_t half) { return _mm512_cvtph_ps(_mm256_set1_epi16(static_cast<int16_t>(half))); }
  static uint16_t to_half(float x) {
    return static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT)));
  }
  // Lane i is the sum over x[i].
  static F sum_each(const F (&x)[kWidth]) {
    F t[8], u[4];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      t[i] = add(_mm512_unpacklo_ps(x[2 * i], x[2 * i + 1]), _mm512_unpackhi_ps(x[2 * i], x[2 * i + 1]));
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)  // each 128-bit lane: partial sums of four
      u[i] = add(_mm512_shuffle_ps(t[2 * i], t[2 * i + 1], 0x44), _mm512_shuffle_ps(t[2 * i], t[2 * i + 1], 0xee));
    const F low = add(_mm512_shuffle_f32x4(u[0], u[1], 0x88), _mm512_shuffle_f32x4(u[0], u[1], 0xdd));
    const F high = add(_mm512_shuffle_f32x4(u[2], u[3], 0x88), _mm512_shuffle_f32x4(u[2], u[3], 0xdd));
    return add(_mm512_shuffle_f32x4(low, high, 0x88), _mm512_shuffle_f32x4(low, high, 0xdd));
  }
  static void transpose(F (&m)[kWidth]) {
    F t[kWidth], u[kWidth];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_ps(m[i], m[i + 1]);
      t[i + 1] = _mm512_unpackhi_ps(m[i], m[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {  // u[i + c]: lane l holds column 4 l + c of rows i to i + 3
      u[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
      u[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xee);
      u[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
      u[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const F even = _mm512_shuffle_f32x4(u[c], u[c + 4], 0x88), odd = _mm512_shuffle_f32x4(u[c], u[c + 4], 0xdd);
      const F even2 = _mm512_shuffle_f32x4(u[c + 8], u[c + 12], 0x88),
              odd2 = _mm512_shuffle_f32x4(u[c + 8], u[c + 12], 0xdd);
      m[c] = _mm512_shuffle_f32x4(even, even2, 0x88);
      m[c + 4] = _mm512_shuffle_f32x4(odd, odd2, 0x88);
      m[c + 8] = _mm512_shuffle_f32x4(even, even2, 0xdd);
      m[c + 12] = _mm512_shuffle_f32x4(odd, odd2, 0xdd);
    }
  }
  // Lane i gets that of lane i ^ kDistance.
  template <int kDistance>
  static F exchange(F x, std::integral_constant<int, kDistance>) {
    constexpr int d = kDistance;
    return __builtin_shufflevector(x, x, 0 ^ d, 1 ^ d, 2 ^ d, 3 ^ d, 4 ^ d, 5 ^ d, 6 ^ d, 7 ^ d, 8 ^ d, 9 ^ d, 10 ^ d,
                                   11 ^ d, 12 ^ d, 13 ^ d, 14 ^ d, 15 ^ d);
  }
  // 2^n of 1.5 * 2^23 + 127 + n, n in [-127, 127]; 0 of -127.
  static F to_exponent(F x) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(x), 23)); }
  static float sum(F x) { return _mm512_reduce_add_ps(x); }
  static float max_of(F x) { return _mm512_reduce_max_ps(x); }
  static float first(F x) { return _mm512_cvtss_f32(x); }
  // Keeps a vector that many products share in its register.
  template <class Vector>
  static void hold(Vector& x) {
    asm("" : "+v"(x));
  }

  // Signed 32-bit lanes and sets of lanes (bit i is lane i), for selection.
  using I = __m512i;
  static I set1_i(int32_t x) { return _mm512_set1_epi32(x); }
  static I load_i(const int32_t* p) { return _mm512_loadu_si512(p); }
  static void store_i(int32_t* p, I x) { _mm512_storeu_si512(p, x); }
  static I add_i(I a, I b) { return _mm512_add_epi32(a, b); }
  static I min_i(I a, I b) { return _mm512_min_epi32(a, b); }
  static I max_i(I a, I b) { return _mm512_max_epi32(a, b); }
  // GCC 12 may spill a widened mask as 16 bits and reload 32 (seen under its thread sanitizer): the empty asm, which costs
  // nothing, pins it to a general register.
  static uint32_t lanes_of(__mmask16 mask) {
    uint32_t set = mask;
    asm("" : "+r"(set));
    return set;
  }
  static uint32_t reaches(F x, F least) { return lanes_of(_mm512_cmp_ps_mask(x, least, _CMP_GE_OQ)); }
  static uint32_t greater(I a, I b) { return lanes_of(_mm512_cmpgt_epi32_mask(a, b)); }
  // Integers in the order of the floats; -0 as 0, every NaN as -0x7fffffff.
  static I sort_keys(F x) {
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i bits = _mm512_mask_mov_epi32(_mm512_castps_si512(x), nan, _mm512_set1_epi32(-1));
    return _mm512_mask_sub_epi32(bits, _mm512_movepi32_mask(bits), _mm512_set1_epi32(INT32_MIN), bits);
  }
  // The lanes of the set, moved together; writes a whole vector (compressing into memory is slow on Zen 4).
  static void compress(int32_t* p, I x, uint32_t set) {
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi32(static_cast<__mmask16>(set), x));
  }
};
