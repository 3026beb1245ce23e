#include "kernels/cpu/avx512bf16/paint.inl"
