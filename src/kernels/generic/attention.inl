// Attention of one query group on one KV head: online softmax over the cache's contiguous runs (Dao, arXiv 2307.08691), so
// that no buffer grows with the context. Bound: read bandwidth of K and V in decode.
// Runs end at page borders, counted from the sequence's start: a query's result does not depend on who else is in the step.
#pragma once

#include "kernels/generic/elementwise.inl"
#include "kernels/generic/exp.inl"

// q . k over d values.
template <class V, class B>
[[gnu::always_inline]] inline float dot_row(const float* q, const B* k, int64_t d) {
  typename V::F even = V::zero(), odd = V::zero();
  int64_t c = 0;
  for (; c + 2 * V::kWidth <= d; c += 2 * V::kWidth) {
    even = V::fma(V::load(q + c), load_block<V>(k + c), even);
    odd = V::fma(V::load(q + c + V::kWidth), load_block<V>(k + c + V::kWidth), odd);
  }
  for (; c + V::kWidth <= d; c += V::kWidth) even = V::fma(V::load(q + c), load_block<V>(k + c), even);
  if (c < d) {
    alignas(64) B tail[V::kWidth] = {};
    std::memcpy(tail, k + c, static_cast<size_t>(d - c) * sizeof(B));
    odd = V::fma(load_part<V>(q + c, d - c), load_block<V>(tail), odd);
  }
  return V::sum(V::add(even, odd));
}

// out[c] += sum over j of p[j] * v[j][c] for N vectors of columns from c on.
template <class V, class B, int N>
[[gnu::always_inline]] inline void add_columns(const float* p, const KvRun& run, int64_t row_stride, int64_t c, float* out) {
  typename V::F acc[N];
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) acc[i] = V::load(out + c + i * V::kWidth);
  for (int64_t j = 0; j < run.n; ++j) {
    const B* v = reinterpret_cast<const B*>(run.v + j * row_stride) + c;
    const typename V::F weight = V::set1(p[j]);
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) acc[i] = V::fma(weight, load_block<V>(v + i * V::kWidth), acc[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) V::store(out + c + i * V::kWidth, acc[i]);
}

template <class V, class B>
[[gnu::always_inline]] inline void add_values(const float* p, const KvRun& run, int64_t row_stride, int64_t d, float* out) {
  int64_t c = 0;
  for (; c + 8 * V::kWidth <= d; c += 8 * V::kWidth) add_columns<V, B, 8>(p, run, row_stride, c, out);
  for (; c + 2 * V::kWidth <= d; c += 2 * V::kWidth) add_columns<V, B, 2>(p, run, row_stride, c, out);
  for (; c + V::kWidth <= d; c += V::kWidth) add_columns<V, B, 1>(p, run, row_stride, c, out);
  if (c == d) return;
  typename V::F acc = load_part<V>(out + c, d - c);
  alignas(64) B tail[V::kWidth] = {};
  for (int64_t j = 0; j < run.n; ++j) {
    std::memcpy(tail, reinterpret_cast<const B*>(run.v + j * row_stride) + c, static_cast<size_t>(d - c) * sizeof(B));
    acc = V::fma(V::set1(p[j]), load_block<V>(tail), acc);
  }
  store_part<V>(out + c, acc, d - c);
}

// scores[0, n) become exp(score - m); returns their sum.
template <class V>
[[gnu::always_inline]] inline float exp_scores(float* scores, int64_t n, float m) {
  typename V::F total = V::zero();
  int64_t j = 0;
  for (; j + V::kWidth <= n; j += V::kWidth) {
    const typename V::F e = vexp<V>(V::sub(V::load(scores + j), V::set1(m)));
    V::store(scores + j, e);
    total = V::add(total, e);
  }
  if (j < n) {
    alignas(64) float tail[V::kWidth];
    for (int i = 0; i < V::kWidth; ++i) tail[i] = -1e30f;
    std::memcpy(tail, scores + j, static_cast<size_t>(n - j) * sizeof(float));
    const typename V::F e = vexp<V>(V::sub(V::load(tail), V::set1(m)));
    store_part<V>(scores + j, e, n - j);
    total = V::add(total, e);
  }
  return V::sum(total);
}

template <class V>
[[gnu::always_inline]] inline void scale_row(float* x, float factor, int64_t n) {
  map2<V>(
      x, x, x, n, [=](auto u, auto) __attribute__((always_inline)) { return V::mul(u, V::set1(factor)); });
}

template <class V, class BK, class BV>
void attention(const AttentionArgs& a) noexcept {
  float* largest = a.scratch;        // (group): the running maximum
  float* total = largest + a.group;  // (group): the running sum of exponentials
  float* scores = total + a.group;   // (page_keys)
  for (int64_t g = 0; g < a.group; ++g) {
    largest[g] = -1e30f;
    total[g] = 0;
  }
  for (int64_t i = 0; i < a.group * a.d_v; ++i) a.out[i] = 0;
  for (int64_t key = a.first; key < a.end;) {
    const KvRun run = a.kv->run(a.kv_head, key, a.end);
    for (int64_t g = 0; g < a.group; ++g) {
      float top = largest[g];
      for (int64_t j = 0; j < run.n; ++j) {
        const BK* k = reinterpret_cast<const BK*>(run.k + j * a.kv->k_row_stride);
        const float s = dot_row<V>(a.q + g * a.d_k, k, a.d_k) * a.scale;
        scores[j] = s;
        top = s > top ? s : top;
      }
      if (top > largest[g]) {
        const float shrink = V::first(vexp<V>(V::set1(largest[g] - top)));
        total[g] *= shrink;
        scale_row<V>(a.out + g * a.d_v, shrink, a.d_v);
        largest[g] = top;
      }
      total[g] += exp_scores<V>(scores, run.n, top);
      add_values<V, BV>(scores, run, a.kv->v_row_stride, a.d_v, a.out + g * a.d_v);
    }
    key += run.n;
  }
  for (int64_t g = 0; g < a.group; ++g) scale_row<V>(a.out + g * a.d_v, 1.0f / total[g], a.d_v);
}
