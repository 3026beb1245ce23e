#include "kernels/cpu/scalar/attention.inl"
#include "kernels/cpu/scalar/matmul.inl"
#include "kernels/cpu/scalar/rows.inl"
#include "kernels/cpu/scalar/select.inl"

void paint(KernelTable& t) {
  t.rms_norm = rms_norm;
  t.rope = rope;
  t.add = add;
  t.mul = mul;
  t.silu = silu;
  t.swiglu = swiglu;
  t.quantize_q8 = quantize_q8;
  t.to_bf16 = to_bf16;
  t.store[BlockF32::kId] = store_f32;
  t.store[BlockF16::kId] = store_f16;
  t.select_top = select_top;
  t.attention[BlockF32::kId][BlockF32::kId] = attention<BlockF32, BlockF32>;
  t.attention[BlockF32::kId][BlockF16::kId] = attention<BlockF32, BlockF16>;
  t.attention[BlockF16::kId][BlockF32::kId] = attention<BlockF16, BlockF32>;
  t.attention[BlockF16::kId][BlockF16::kId] = attention<BlockF16, BlockF16>;
  for_each_format([&]<class B>() {
    t.matmul[B::kId] = matmul<B>;
    t.act[B::kId] = B::kSize == 1 ? ActFormat::kF32 : ActFormat::kQ8;
  });
}
