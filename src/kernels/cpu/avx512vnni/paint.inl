#include "kernels/generic/all.inl"

#include "kernels/cpu/avx512vnni/matmul.inl"
#include "kernels/cpu/avx512vnni/scores.inl"

void paint(KernelTable& t) {
  for_each_format([&]<class B>() {
    if constexpr (B::kSize > 1) {
      t.matmul[B::kId] = matmul_vnni<B>;
      t.row_scores[B::kId] = row_scores_vnni<B>;
      t.values[B::kId] = values_int16<V, B>;
      paint_packed_int8<V, B>(t);
    }
  });
  for_each_panel_format([&]<class B>() { paint_packed_int8<V, B>(t); });
  paint_packed_int16<V>(t);
  paint_index_int4<V>(t);
}
