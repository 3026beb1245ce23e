// q4_0 for kernels: a block's 32 codes, from nibbles 0..15 to -8..7; a value is scale * code.
using decoded_q4_0 = BlockQ4_0;

// Signed.
template <class V>
[[gnu::always_inline]] inline typename V::I8 load_codes(const BlockQ4_0& b) {
  return V::minus_8(V::load_nibbles(b.q));
}

// As stored, code + kOffset: 16 of the first block beside 16 of the second, then the others.
template <class V>
[[gnu::always_inline]] inline void load_beside(const BlockQ4_0& a, const BlockQ4_0& b, typename V::W (&out)[2]) {
  const typename V::W both = V::load_beside(a.q, b.q);
  out[0] = V::low_nibbles(both);
  out[1] = V::high_nibbles(both);
}

// Two blocks' codes as unsigned bytes: code + kOffset, as they are stored.
template <class V>
[[gnu::always_inline]] inline typename V::I8x2 load_pair(const BlockQ4_0& a, const BlockQ4_0& b) {
  return V::load_nibbles(a.q, b.q);
}

// Codes [i, i + V::kWidth) of a block as floats; i a multiple of V::kWidth.
template <class V>
[[gnu::always_inline]] inline typename V::F load_float_codes(const BlockQ4_0& b, int64_t i) {
  const typename V::F codes = i < 16 ? V::load_low_nibbles(b.q + i % 16) : V::load_high_nibbles(b.q + i % 16);
  return V::sub(codes, V::set1(8.0f));
}

// Columns 4 * step to 4 * step + 3 of V::kWidth rows from `row`, as unsigned bytes.
template <class V>
[[gnu::always_inline]] inline typename V::W load_step(const GroupQ4_0& g, int block, int step, int row) {
  const typename V::W both = V::load_w(g.q[block][step % 4][row]);
  return step < 4 ? V::low_nibbles(both) : V::high_nibbles(both);
}
