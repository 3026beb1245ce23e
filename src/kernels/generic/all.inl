// Every generic kernel, and how they go into a table.
#pragma once

#include "kernels/generic/attention.inl"
#include "kernels/generic/elementwise.inl"
#include "kernels/generic/exp.inl"
#include "kernels/generic/matmul_float.inl"
#include "kernels/generic/matmul_int8.inl"
#include "kernels/generic/select.inl"
#include "kernels/generic/store.inl"

// The kernels that no weight format enters.
template <class V>
void paint_rows(KernelTable& t) {
  t.rms_norm = rms_norm<V>;
  t.rope = rope<V>;
  t.add = add<V>;
  t.mul = mul<V>;
  t.silu = silu<V>;
  t.swiglu = swiglu<V>;
  t.quantize_q8 = quantize_q8<V>;
  t.to_bf16 = to_bf16<V>;
  t.store[BlockF32::kId] = store_f32<V>;
  t.store[BlockF16::kId] = store_f16<V>;
  t.select_top = select_top<V>;
}

template <class V>
void paint_attention(KernelTable& t) {
  t.attention[BlockF32::kId][BlockF32::kId] = attention<V, BlockF32, BlockF32>;
  t.attention[BlockF32::kId][BlockF16::kId] = attention<V, BlockF32, BlockF16>;
  t.attention[BlockF16::kId][BlockF32::kId] = attention<V, BlockF16, BlockF32>;
  t.attention[BlockF16::kId][BlockF16::kId] = attention<V, BlockF16, BlockF16>;
}

template <class V, class B>
void paint_matmul(KernelTable& t) {
  if constexpr (B::kSize == 1) {
    t.matmul[B::kId] = matmul_float<V, B>;
    t.act[B::kId] = ActFormat::kF32;
  } else {
    t.matmul[B::kId] = matmul_int8<V, B>;
    t.act[B::kId] = ActFormat::kQ8;
  }
}
