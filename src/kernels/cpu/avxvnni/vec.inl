// AVX2 whose dot products of bytes are one instruction.
#include "kernels/cpu/avx2/int8.inl"
#include "kernels/cpu/avx2/f32.inl"

struct Int8AvxVnni : Int8Avx2 {
  static constexpr int kTileTokens = 4;
  // A step is one instruction: what is spilled waits for nobody.
  static void settle(W&) {}
  static void step_done() {}

  // As in Int8Avx2.
  template <int kOffset>
  struct Dot {
    using Sum = __m256i;
    static Sum start(int32_t start) {
      const __m256i all = _mm256_set1_epi32(start);
      return kOffset == 128 ? all : _mm256_srai_epi32(all, 4);
    }
    static Sum dot(Sum sum, W w, W x) { return _mm256_dpbusd_avx_epi32(sum, w, x); }
    static __m256 finish(Sum sum, int32_t) { return _mm256_cvtepi32_ps(sum); }
  };
};

using V = Avx2<Int8AvxVnni>;
