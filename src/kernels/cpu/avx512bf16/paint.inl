#include "kernels/cpu/avx512bf16/matmul.inl"
#include "kernels/generic/all.inl"

void paint(KernelTable& t) {
  t.matmul[BlockBf16::kId] = matmul_bf16;
  t.act[BlockBf16::kId] = ActFormat::kBf16;
}
