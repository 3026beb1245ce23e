#include "kernels/generic/all.inl"

void paint(KernelTable& t) {
  paint_rows<V>(t);
  for_each_format([&]<class B>() {
    paint_matmul<V, B>(t);
    paint_attention<V, B>(t);
    if constexpr (B::kSize > 1) paint_packed_int8<V, B>(t);
  });
  for_each_panel_format([&]<class B>() { paint_packed_int8<V, B>(t); });
  paint_index_int4<V>(t);
}
