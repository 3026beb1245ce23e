#include "kernels/cpu/avx512vnni/int8.inl"

// A core of these processors reads four streams by a third faster than one.
struct V : Avx512Vnni {
  static constexpr int kStreams = 4;
  static W less(W codes, int offset) { return _mm512_sub_epi8(codes, _mm512_set1_epi8(static_cast<char>(offset))); }
};
