#include "kernels/cpu/avx512bf16/matmul.inl"
#include "kernels/cpu/avx512bf16/packed.inl"
#include "kernels/generic/all.inl"

void paint(KernelTable& t) {
  t.matmul[BlockBf16::kId] = matmul_bf16;
  t.act[BlockBf16::kId] = ActFormat::kBf16;
  t.packed_matmul[BlockBf16::kId] = packed_matmul_bf16;
  t.packed_act[BlockBf16::kId] = ActFormat::kBf16;
}
