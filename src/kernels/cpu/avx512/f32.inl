// Vectors of 16 floats; the int8 part comes with the base class.
template <class Int8>
struct Avx512 : Int8 {
  using F = __m512;
  static constexpr int kWidth = 16;
  static constexpr int kTokens = 4;  // tokens per matmul tile: 4 x 4 accumulators of the 32 registers

  static F zero() { return _mm512_setzero_ps(); }
  static F set1(float x) { return _mm512_set1_ps(x); }
  static F load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, F x) { _mm512_storeu_ps(p, x); }
  static F load_f16(const void* p) { return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p))); }
  static F load_bf16(const void* p) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p))), 16));
  }
  static void store_f16(void* p, F x) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  // Round to nearest even in the upper 16 bits; NaNs are not expected in activations.
  static void store_bf16(void* p, F x) {
    const __m512i bits = _mm512_castps_si512(x);
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
  static F abs_f(F a) { return _mm512_abs_ps(a); }
  static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static F round(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  // x * 2^n for integral n; 0 where n < -126, as on every tier.
  static F scale2(F x, F n) {
    return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(n, _mm512_set1_ps(-126.0f), _CMP_NLT_UQ), x, n);
  }
  static float sum(F x) { return _mm512_reduce_add_ps(x); }
  static float max_of(F x) { return _mm512_reduce_max_ps(x); }
  static float first(F x) { return _mm512_cvtss_f32(x); }

  // Signed 32-bit lanes and sets of lanes (bit i is lane i), for selection.
  using I = __m512i;
  static I set1_i(int32_t x) { return _mm512_set1_epi32(x); }
  static I load_i(const int32_t* p) { return _mm512_loadu_si512(p); }
  static void store_i(int32_t* p, I x) { _mm512_storeu_si512(p, x); }
  static I add_i(I a, I b) { return _mm512_add_epi32(a, b); }
  static I min_i(I a, I b) { return _mm512_min_epi32(a, b); }
  static I max_i(I a, I b) { return _mm512_max_epi32(a, b); }
  static uint32_t greater(I a, I b) { return _mm512_cmpgt_epi32_mask(a, b); }
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
