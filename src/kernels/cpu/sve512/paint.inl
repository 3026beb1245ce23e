#include "kernels/cpu/sve256/paint.inl"
