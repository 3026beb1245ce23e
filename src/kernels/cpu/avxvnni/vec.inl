// AVX2 whose dot products of bytes are one instruction.
#include "kernels/cpu/avx2/f32.inl"
#include "kernels/cpu/avx2/int8.inl"

struct Int8AvxVnni : Int8Avx2 {
  static constexpr int kTileTokens = 4;
  static constexpr bool kWideSums = true;
  // A step is one instruction: a spill makes no other one wait.
  static void pin(W&) {}
  static void step_done() {}

  // As in Int8Avx2.
  template <int kOffset, int>
  struct Dot {
    using Sum = __m256i;
    static Sum start(int32_t start) {
      if constexpr (kOffset == 0) return _mm256_setzero_si256();
      const __m256i all = _mm256_set1_epi32(start);
      return kOffset == 128 ? all : _mm256_srai_epi32(all, __builtin_ctz(128 / (kOffset ? kOffset : 1)));
    }
    static Sum dot(Sum sum, W w, W x) { return _mm256_dpbusd_avx_epi32(sum, w, x); }
    static __m256 finish(Sum sum, int32_t) { return _mm256_cvtepi32_ps(sum); }
  };

  // Panels of 16 bits: vectors of 8 rows by 2 columns.
  static W low_halves(__m256 first, __m256 second) {
    return _mm256_blend_epi16(_mm256_castps_si256(first), _mm256_slli_epi32(_mm256_castps_si256(second), 16), 0xaa);
  }
  static W dot_pairs(W sum, W a, W b) { return _mm256_dpwssd_avx_epi32(sum, a, b); }
  // 32 bytes of each, signed, as the 256-fold in 16 bits: 8 of the first beside 8 of the second in each vector, in order.
  static void interleave_bytes(const int8_t* first, const int8_t* second, W (&out)[4]) {
    const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const __m256i a = _mm256_permutevar8x32_epi32(load_w(first), order),
                  b = _mm256_permutevar8x32_epi32(load_w(second), order);
    const __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b), zero = _mm256_setzero_si256();
    out[0] = _mm256_unpacklo_epi8(zero, low);
    out[1] = _mm256_unpackhi_epi8(zero, low);
    out[2] = _mm256_unpacklo_epi8(zero, high);
    out[3] = _mm256_unpackhi_epi8(zero, high);
  }
  // The power of two in x >= 2^-126, infinity where x is not finite.
  static __m256 power_of(__m256 x) { return _mm256_and_ps(x, _mm256_set1_ps(__builtin_inff())); }
};

using V = Avx2<Int8AvxVnni>;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V>);
static_assert(HalfDots<V> && PairsBytes<V> && HalfPanels<V>);
static_assert(NibbleFours<V>);
