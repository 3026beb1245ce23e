// q8_0 for kernels: the block's 32 signed codes; a value is scale * code.
using decoded_q8_0 = BlockQ8_0;

template <class V>
[[gnu::always_inline]] inline typename V::I8 load_codes(const BlockQ8_0& b) {
  return V::load_i8(b.q);
}
