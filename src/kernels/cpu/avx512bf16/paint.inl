#include "kernels/generic/all.inl"

#include "kernels/cpu/avx512bf16/matmul.inl"
#include "kernels/cpu/avx512vnni/scores.inl"

void paint(KernelTable& t) {
  paint_key_codes<V>(t);
  for_each_format([&]<class B>() {
    paint_attention<V, B>(t);
    if constexpr (B::kSize > 1) {
      t.row_scores[B::kId] = row_scores_vnni<B>;
      paint_packed_int8<V, B>(t);
    }
  });
  for_each_panel_format([&]<class B>() { paint_packed_int8<V, B>(t); });
  paint_packed_int16<V>(t);
  t.matmul[BlockBf16::kId] = matmul_bf16;
  t.act[BlockBf16::kId] = ActFormat::kBf16;
  paint_packed_bf16<V>(t);
}
