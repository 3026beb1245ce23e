#include "kernels/generic/all.inl"

void paint(KernelTable& t) {
  for_each_format([&]<class B>() {
    if constexpr (B::kSize > 1) {
      paint_matmul<V, B>(t);
      paint_packed_int8<V, B>(t);
      t.row_scores[B::kId] = row_scores_int8<V, B>;
    }
  });
  for_each_panel_format([&]<class B>() { paint_packed_int8<V, B>(t); });
  paint_index_int4<V>(t);
}
