// Reference attention: the definition, with double sums and the keys walked three times instead of stored scores.

template <class BK>
double score(const AttentionArgs& a, int64_t g, int64_t key) {
  const BK* k = reinterpret_cast<const BK*>(a.kv->k_row(a.kv_head, key));
  double sum = 0;
  for (int64_t c = 0; c < a.d_k; ++c) sum += static_cast<double>(a.q[g * a.d_k + c]) * static_cast<double>(value_of(k[c]));
  return sum * static_cast<double>(a.scale);
}

template <class BK, class BV>
void attention(const AttentionArgs& a) noexcept {
  for (int64_t g = 0; g < a.group; ++g) {
    double largest = score<BK>(a, g, a.first), total = 0;
    for (int64_t key = a.first; key < a.end; ++key) {
      const double s = score<BK>(a, g, key);
      largest = s > largest ? s : largest;
    }
    for (int64_t key = a.first; key < a.end; ++key) total += exp(score<BK>(a, g, key) - largest);
    float* out = a.out + g * a.d_v;
    for (int64_t c = 0; c < a.d_v; ++c) out[c] = 0;
    for (int64_t key = a.first; key < a.end; ++key) {
      const BV* v = reinterpret_cast<const BV*>(a.kv->v_row(a.kv_head, key));
      const double p = exp(score<BK>(a, g, key) - largest) / total;
      for (int64_t c = 0; c < a.d_v; ++c) out[c] += static_cast<float>(p * static_cast<double>(value_of(v[c])));
    }
  }
}
