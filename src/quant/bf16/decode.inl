// bf16 for kernels: V::kWidth values at p.
using decoded_bf16 = BlockBf16;

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockBf16* p) {
  return V::load_bf16(p);
}
