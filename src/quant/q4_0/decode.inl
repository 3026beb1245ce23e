// q4_0 for kernels: a block's 32 codes, from nibbles 0..15 to -8..7; a value is scale * code.
using decoded_q4_0 = BlockQ4_0;

// Signed.
template <class V>
[[gnu::always_inline]] inline typename V::I8 load_codes(const BlockQ4_0& b) {
  return V::minus_8(V::load_nibbles(b.q));
}

// Two blocks' codes as unsigned bytes: code + 8, which is what is stored.
template <class V>
[[gnu::always_inline]] inline typename V::I8x2 load_pair(const BlockQ4_0* b) {
  return V::load_nibbles(b[0].q, b[1].q);
}
[[gnu::always_inline]] constexpr float code_offset(const BlockQ4_0*) { return 8; }
