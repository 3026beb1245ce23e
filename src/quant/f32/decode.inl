// f32 for kernels: V::kWidth values at p.
using decoded_f32 = BlockF32;

template <class V>
[[gnu::always_inline]] inline typename V::F load_block(const BlockF32* p) {
  return V::load(reinterpret_cast<const float*>(p));
}
