#include "kernels/generic/all.inl"

void paint(KernelTable& t) {
  paint_rows<V>(t);
  for_each_format([&]<class B>() {
    paint_matmul<V, B>(t);
    paint_attention<V, B>(t);
  });
}
