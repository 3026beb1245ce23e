// Vectors of 8 floats; the int8 part comes with the base class.
#include "kernels/generic/lane_orders.inl"

template <class Int8>
struct Avx2 : Int8 {
  using F = __m256;
  static constexpr int kWidth = 8;
  static constexpr int kTokens = 2;            // tokens per matmul tile: 2 x 4 accumulators of the 16 registers
  static constexpr int kAccumulators = 8;      // attention over the cache: the others hold the data that is read
  static constexpr int kGemmRows = 6;          // attention over panels: 6 x 2 accumulators
  static constexpr int kKeysTogether = 2;      // scores of keys in rows
  static constexpr bool kAsksForPages = true;  // attention over the cache: for the next page, evenly, or a fixed way ahead
  static constexpr int kPageStreams = 2;       // parts of it that are asked for side by side
  static constexpr int kUnaskedHeads = 0;      // that pass over pages of floats without asking for the next
  static constexpr int kAheadHeads = 0;        // that ask a fixed way ahead there
  static constexpr int kAskLevel = 3;          // of __builtin_prefetch: weights and pages go into L1 (3) or L2 (2)
  static constexpr int64_t kAskBytes = kPrefetchBytes;  // ahead of which few tokens ask for weights in panels
  static constexpr bool kIndexByStreams = true;         // index_streams.inl or index.inl

  static F zero() { return _mm256_setzero_ps(); }
  static F set1(float x) { return _mm256_set1_ps(x); }
  static F load(const float* p) { return _mm256_loadu_ps(p); }
  // Two floats, four times each.
  static F each_four_times(const float* p) {
    const __m256i both = _mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    return _mm256_permutevar_ps(_mm256_castsi256_ps(both), _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
  }
  static void store(float* p, F x) { _mm256_storeu_ps(p, x); }
  static F load_f16(const void* p) { return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p))); }
  static F load_bf16(const void* p) {
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))), 16));
  }
  // Of pairs, the first of each and the second.
  static F load_bf16_even(const void* p) { return _mm256_castsi256_ps(_mm256_slli_epi32(Int8::load_w(p), 16)); }
  static F load_bf16_odd(const void* p) {
    return _mm256_castsi256_ps(_mm256_and_si256(Int8::load_w(p), _mm256_set1_epi32(-65536)));
  }
  static void store_f16(void* p, F x) {
    _mm_storeu_si128(static_cast<__m128i*>(p), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  // Round to nearest even in the upper 16 bits. A NaN loses the others first, which might carry.
  static void store_bf16(void* p, F x) {
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m256i bits = _mm256_andnot_si256(_mm256_srli_epi32(nan, 16), _mm256_castps_si256(x));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(bits, odd), _mm256_set1_epi32(0x7fff)), 16);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded, rounded), 0x08);
    _mm_storeu_si128(static_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
  }
  // To signed bytes, rounded to nearest even; |x| <= 127.
  static void store_i8(int8_t* p, F x) {
    const __m256i i = _mm256_cvtps_epi32(x);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(i), _mm256_extracti128_si256(i, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
  }

  static F add(F a, F b) { return _mm256_add_ps(a, b); }
  static F sub(F a, F b) { return _mm256_sub_ps(a, b); }
  static F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  static F div(F a, F b) { return _mm256_div_ps(a, b); }
  static F max(F a, F b) { return _mm256_max_ps(a, b); }
  // max(a, |x|) for a >= 0, and the largest of such lanes; a NaN is larger than all numbers.
  static F max_magnitude(F a, F x) {
    const __m256i magnitude = _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff));
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), magnitude));
  }
  static float max_of_magnitudes(F x) {
    const __m256i bits = _mm256_castps_si256(x);
    const __m128i four = _mm_max_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    const __m128i two = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_max_epi32(two, _mm_shuffle_epi32(two, 0xb1))));
  }
  static F abs_f(F a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static F round_half_up(F a) { return _mm256_floor_ps(add(a, set1(0.5f))); }
  static F load_i8_floats(const int8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  // kWidth bytes.
  static F load_bytes(const int8_t* p) { return load_i8_floats(p); }
  static F load_bytes(const uint8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  // 2^(byte - 128), 0 where that is denormal.
  static F load_powers(const uint8_t* p) {
    const __m256i e = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    const __m256i less = _mm256_max_epi32(_mm256_sub_epi32(e, _mm256_set1_epi32(1)), _mm256_setzero_si256());
    return _mm256_castsi256_ps(_mm256_slli_epi32(less, 23));
  }
  // Halves of which these bytes are bits 7 to 14 and the others 0.
  static F load_short_f16(const uint8_t* p) {
    const __m128i bytes = _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    return _mm256_cvtph_ps(_mm_slli_epi16(bytes, 7));
  }
  // The nibbles of kWidth bytes, 0 to 15.
  static F load_low_nibbles(const uint8_t* p) {
    const __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    return _mm256_cvtepi32_ps(_mm256_and_si256(bytes, _mm256_set1_epi32(15)));
  }
  static F load_high_nibbles(const uint8_t* p) {
    const __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    return _mm256_cvtepi32_ps(_mm256_srli_epi32(bytes, 4));
  }
  static F set_half(uint16_t half) { return Int8::scale(half); }
  static uint16_t to_half(float x) {
    return static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT)));
  }
  // Lane i is the sum over x[i].
  static F sum_each(const F (&x)[kWidth]) {
    const F low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
    const F high = _mm256_hadd_ps(_mm256_hadd_ps(x[4], x[5]), _mm256_hadd_ps(x[6], x[7]));
    return add(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
  }
  static void transpose(F (&m)[kWidth]) {
    __m256i bits[kWidth];
#pragma GCC unroll 8
    for (int i = 0; i < kWidth; ++i) bits[i] = _mm256_castps_si256(m[i]);
    Int8::transpose_w(bits);
#pragma GCC unroll 8
    for (int i = 0; i < kWidth; ++i) m[i] = _mm256_castsi256_ps(bits[i]);
  }
  // Lane i gets that of lane i ^ kDistance.
  template <int kDistance>
  static F exchange(F x, std::integral_constant<int, kDistance>) {
    constexpr int d = kDistance;
    return __builtin_shufflevector(x, x, 0 ^ d, 1 ^ d, 2 ^ d, 3 ^ d, 4 ^ d, 5 ^ d, 6 ^ d, 7 ^ d);
  }
  // 2^n of 1.5 * 2^23 + 127 + n, n in [-127, 127]; 0 of -127.
  static F to_exponent(F x) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(x), 23)); }
  static float sum(F x) { return Int8::d_sum(x, _mm256_setzero_ps()); }
  static float max_of(F x) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
  static float first(F x) { return _mm256_cvtss_f32(x); }
  // Keeps a vector that many products share in its register.
  template <class Vector>
  static void hold(Vector& x) {
    asm("" : "+v"(x));
  }

  // Within each 16 bytes of all, four by four lanes.
  static void transpose_fours(F (&m)[4]) {
    __m256i bits[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) bits[i] = _mm256_castps_si256(m[i]);
    Int8::transpose_halves(bits);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) m[i] = _mm256_castsi256_ps(bits[i]);
  }

  // Integers of 16 bits.
  static F floats(__m256i x) { return _mm256_cvtepi32_ps(x); }
  // Rounded to nearest even; |x| <= 32767.
  static void store_i16(int16_t* p, F x) {
    const __m256i words = _mm256_packs_epi32(_mm256_cvtps_epi32(x), _mm256_setzero_si256());
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(_mm256_permute4x64_epi64(words, 0x08)));
  }
  static void store_i16(int16_t* p, F x, F y) {
    const __m256i words = _mm256_packs_epi32(_mm256_cvtps_epi32(x), _mm256_cvtps_epi32(y));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(words, 0xd8));
  }
  // Signed bytes of two rows side by side: of 32 columns, 0 to 3 and 16 to 19, then 4 to 7 and 20 to 23 ...
  static void pair_bytes(__m256i first, __m256i second, __m256i (&out)[4]) {
    const __m256i low = _mm256_unpacklo_epi8(first, second), high = _mm256_unpackhi_epi8(first, second);
    const __m256i low_signs = _mm256_cmpgt_epi8(_mm256_setzero_si256(), low),
                  high_signs = _mm256_cmpgt_epi8(_mm256_setzero_si256(), high);
    out[0] = _mm256_unpacklo_epi8(low, low_signs);
    out[1] = _mm256_unpackhi_epi8(low, low_signs);
    out[2] = _mm256_unpacklo_epi8(high, high_signs);
    out[3] = _mm256_unpackhi_epi8(high, high_signs);
  }
  // Puts vectors of that order in the order of the columns.
  static void order_columns(__m256i (&x)[4]) {
    const __m256i a = x[0], b = x[1], c = x[2], d = x[3];
    x[0] = _mm256_permute2x128_si256(a, b, 0x20);
    x[1] = _mm256_permute2x128_si256(c, d, 0x20);
    x[2] = _mm256_permute2x128_si256(a, b, 0x31);
    x[3] = _mm256_permute2x128_si256(c, d, 0x31);
  }

  // Signed 32-bit lanes and sets of lanes (bit i is lane i), for selection.
  using I = __m256i;
  static I set1_i(int32_t x) { return _mm256_set1_epi32(x); }
  static I load_i(const int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store_i(int32_t* p, I x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static I add_i(I a, I b) { return _mm256_add_epi32(a, b); }
  static I min_i(I a, I b) { return _mm256_min_epi32(a, b); }
  static I max_i(I a, I b) { return _mm256_max_epi32(a, b); }
  static uint32_t greater(I a, I b) {
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b))));
  }
  static uint32_t reaches(F x, F least) {
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(x, least, _CMP_GE_OQ)));
  }
  // Integers in the order of the floats; -0 as 0, every NaN as -0x7fffffff.
  static I sort_keys(F x) {
    const __m256 nan_is_ones = _mm256_or_ps(x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m256i bits = _mm256_castps_si256(nan_is_ones);
    return _mm256_sign_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff)), bits);
  }
  // The lanes of the set, moved together; writes a whole vector.
  static void compress(int32_t* p, I x, uint32_t set) {
    const __m128i order = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLaneOrders.of[set]));
    store_i(p, _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(order)));
  }
};
