// q8_0 for kernels: a block's 32 codes; a value is scale * code.
using decoded_q8_0 = BlockQ8_0;

// Signed.
template <class V>
[[gnu::always_inline]] inline typename V::I8 load_codes(const BlockQ8_0& b) {
  return V::load_i8(b.q);
}

// As stored, signed: 16 of the first block beside 16 of the second, then the others.
template <class V>
[[gnu::always_inline]] inline void load_beside(const BlockQ8_0& a, const BlockQ8_0& b, typename V::W (&out)[2]) {
  out[0] = V::load_beside(a.q, b.q);
  out[1] = V::load_beside(a.q + 16, b.q + 16);
}

// Two blocks' codes as unsigned bytes: code + kOffset.
template <class V>
[[gnu::always_inline]] inline typename V::I8x2 load_pair(const BlockQ8_0& a, const BlockQ8_0& b) {
  return V::plus_128(V::join(V::load_i8(a.q), V::load_i8(b.q)));
}

// Codes [i, i + V::kWidth) of a block as floats; i a multiple of V::kWidth.
template <class V>
[[gnu::always_inline]] inline typename V::F load_float_codes(const BlockQ8_0& b, int64_t i) {
  return V::load_i8_floats(b.q + i);
}

// Columns 4 * step to 4 * step + 3 of V::kWidth rows from `row`, as unsigned bytes.
template <class V>
[[gnu::always_inline]] inline typename V::W load_step(const GroupQ8_0& g, int block, int step, int row) {
  return V::load_w(g.q[block][step][row]);
}
