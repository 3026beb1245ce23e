// f32 for kernels: V::kWidth values at p.
using decoded_f32 = BlockF32;

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockF32* p) {
  return V::load(reinterpret_cast<const float*>(p));
}

// Column c of V::kWidth rows from `row`.
template <class V>
[[gnu::always_inline]] inline typename V::F load_column(const GroupF32* groups, int64_t c, int row) {
  return V::load(groups[c].x + row);
}
