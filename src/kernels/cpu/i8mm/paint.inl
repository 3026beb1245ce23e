#include "kernels/generic/all.inl"

#include "kernels/cpu/i8mm/packed_int8.inl"

void paint(KernelTable& t) {
  for_each_format([&]<class B>() {
    if constexpr (B::kSize > 1) t.packed_matmul[B::kId] = packed_matmul_matrices<B>;
  });
  for_each_panel_format([&]<class B>() { t.packed_matmul[B::kId] = packed_matmul_matrices<B>; });
  paint_index_int4<V>(t);
  paint_packed_bf16<V>(t);
}
