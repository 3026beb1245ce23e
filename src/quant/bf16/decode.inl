// bf16 for kernels: V::kWidth values at p.
using decoded_bf16 = BlockBf16;

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockBf16* p) {
  return V::load_bf16(p);
}

// Column c of V::kWidth rows from `row`.
template <class V>
[[gnu::always_inline]] inline typename V::F load_column(const GroupBf16* groups, int64_t c, int row) {
  return c % 2 ? V::load_bf16_odd(groups[c / 2].x[row]) : V::load_bf16_even(groups[c / 2].x[row]);
}
