// AVX2 whose dot products of bytes are one instruction.
#include "kernels/cpu/avx2/f32.inl"
#include "kernels/cpu/avx2/int8.inl"

struct Int8AvxVnni : Int8Avx2 {
  static constexpr int kTileTokens = 4;
  // A step is one instruction: what is spilled waits for nobody.
  static void settle(W&) {}
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
};

using V = Avx2<Int8AvxVnni>;
