// f16 for kernels: V::kWidth values at p.
using decoded_f16 = BlockF16;

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockF16* p) {
  return V::load_f16(p);
}
