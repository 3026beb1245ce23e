#include "kernels/generic/all.inl"

#include "kernels/cpu/amx/packed_bf16.inl"
#include "kernels/cpu/amx/packed_int8.inl"
#include "kernels/cpu/amx/panels_bf16.inl"
#include "kernels/cpu/avx512vnni/scores.inl"

void paint(KernelTable& t) {
  t.packed_matmul[BlockF16::kId] = packed_matmul_int16<V, BlockF16>;
  t.packed_matmul[BlockBf16::kId] = packed_matmul_bf16_tiles;
  t.packed_act[BlockBf16::kId] = ActFormat::kBf16;
  t.prefill_act = ActFormat::kBf16;
  t.split_panels = split_panels;
  t.split_rows = split_rows;
  t.panel_gemm_bf16x2 = panel_gemm_bf16x2;
  paint_key_codes<V>(t);
  for_each_format([&]<class B>() {
    paint_attention<V, B>(t);
    if constexpr (B::kSize > 1) {
      t.packed_matmul[B::kId] = packed_matmul_tiles<B>;
      t.row_scores[B::kId] = row_scores_vnni<B>;
    }
  });
  for_each_panel_format([&]<class B>() { t.packed_matmul[B::kId] = packed_matmul_tiles<B>; });
}
