#include "kernels/cpu/avx2/f32.inl"
#include "kernels/cpu/avx2/int8.inl"

using V = Avx2<Int8Avx2>;
