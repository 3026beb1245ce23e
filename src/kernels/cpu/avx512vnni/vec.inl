#include "kernels/cpu/avx512vnni/int8.inl"

using V = Avx512Vnni;
