// f16 for kernels: V::kWidth values at p.
using decoded_f16 = BlockF16;

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockF16* p) {
  return V::load_f16(p);
}

// Column c of V::kWidth rows from `row`.
template <class V>
[[gnu::always_inline]] inline typename V::F load_column(const GroupF16* groups, int64_t c, int row) {
  return V::load_f16(groups[c].x + row);
}
