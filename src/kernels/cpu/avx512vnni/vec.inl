#include "kernels/cpu/avx2/int8.inl"
#include "kernels/cpu/avx512/f32.inl"

// The dot product of 32 byte pairs in one instruction.
struct Int8Vnni : Int8Avx2 {
  static D dot(I8 abs_w, I8 w, I8 a) {
    return _mm256_cvtepi32_ps(_mm256_dpbusd_epi32(_mm256_setzero_si256(), abs_w, _mm256_sign_epi8(a, w)));
  }
};

using V = Avx512<Int8Vnni>;
