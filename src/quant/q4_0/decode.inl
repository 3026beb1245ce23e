// q4_0 for kernels: the block's 32 codes, from nibbles 0..15 to -8..7; a value is scale * code.
using decoded_q4_0 = BlockQ4_0;

template <class V>
[[gnu::always_inline]] inline typename V::I8 load_codes(const BlockQ4_0& b) {
  return V::minus_8(V::load_nibbles(b.q));
}
