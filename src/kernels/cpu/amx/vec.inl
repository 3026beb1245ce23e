#include "kernels/cpu/avx512vnni/int8.inl"

// A core of these processors reads four streams by a third faster than one.
struct V : Avx512Vnni {
  static constexpr int kStreams = 4;
  static constexpr bool kAsksForPages = true;
  static constexpr int kPageStreams = 4;

  // f16 panels by arithmetic of halves. Factors for two columns of 16 rows: the logarithms of 2^12 / power.
  using HalfFactors = __m512h;
  static HalfFactors half_factors(__m512 power) {
    const __m512i exponent = _mm512_srli_epi32(_mm512_castps_si512(power), 23);
    const __m256i half = _mm256_castph_si256(_mm512_cvtepi32_ph(_mm512_sub_epi32(_mm512_set1_epi32(127 + 12), exponent)));
    return _mm512_castsi512_ph(join(half, half));
  }
  // The first n of two columns in units, rounded to nearest even.
  static W pair_of_halves(const GroupF16* columns, int64_t n, HalfFactors factors) {
    alignas(64) static constexpr uint16_t kInterleave[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                             8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __mmask32 given = n >= 2 ? ~0u : n == 1 ? 0xffff : 0;
    const __m512h x = _mm512_castsi512_ph(_mm512_maskz_loadu_epi16(given, columns));
    return _mm512_permutexvar_epi16(_mm512_load_si512(kInterleave), _mm512_cvtph_epi16(_mm512_scalef_ph(x, factors)));
  }

  static W less(W codes, int offset) { return _mm512_sub_epi8(codes, _mm512_set1_epi8(static_cast<char>(offset))); }
};

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && BytePairs<V>);
static_assert(HalfDots<V> && PairsBytes<V> && HalfPanels<V>);
static_assert(FindsLargest<V, GroupF16> && ByHalves<V, GroupF16>);
