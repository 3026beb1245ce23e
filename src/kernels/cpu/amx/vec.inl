#include "kernels/cpu/avx512vnni/vec.inl"
