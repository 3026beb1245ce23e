#include "kernels/generic/all.inl"

// Rows of blocks stay with NEON: half a vector of their codes is a block.
void paint(KernelTable& t) {
  paint_rows<V>(t);
  for_each_format([&]<class B>() {
    paint_attention<V, B>(t);
    if constexpr (B::kSize > 1)
      paint_packed_int8<V, B>(t);
    else
      paint_matmul<V, B>(t);
  });
  for_each_panel_format([&]<class B>() { paint_packed_int8<V, B>(t); });
}
