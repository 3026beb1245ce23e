// The definition of attention, in plain loops and double precision, over the keys and values that the cache holds.
#pragma once

#include <cmath>
#include <vector>

#include "tests/backend/attention_bench.h"

namespace skald::test {

class AttentionReference {
 public:
  /// `int8_queries`: queries are rounded as integer keys meet them.
  AttentionReference(const AttentionBench& bench, size_t sequence, bool int8_queries)
      : bench_(bench), a_(bench.layer()), s_(bench.sequence(sequence)), int8_queries_(int8_queries) {
    if (const KeyCodes codes = bench.spec().k_codes; codes != KeyCodes::kNone)
      for (int64_t page = 0; (page + 1) * kPageKeys * columns() <= std::ssize(s_.cached.k); ++page)
        for (int64_t c = 0; c < columns(); ++c)
          codes == KeyCodes::kNibbles ? add_codes(page, c, 15, 0) : add_codes(page, c, 254, -127);
  }

  /// Rows [from, to), as AttentionBench::out gives them.
  std::vector<float> rows(int64_t from, int64_t to) const {
    std::vector<float> out;
    for (int64_t position = from; position < to; ++position)
      for (int64_t head = 0; head < a_.n_heads; ++head)
        for (const double x : attend(position, head)) out.push_back(static_cast<float>(x));
    return out;
  }

 protected:
  bool is_sink(int64_t key) const { return key < (windowed() ? bench_.sinks() : s_.dropped ? s_.keep : 0); }
  bool windowed() const { return bench_.spec().groups[0].window > 0; }
  // For being in the window, or after the dropped ones.
  bool is_inside(int64_t position, int64_t key) const {
    if (a_.window.size) return key >= a_.window.begin(position + 1);
    return s_.dropped == 0 || key >= s_.keep + s_.dropped;
  }
  bool sees(int64_t position, int64_t key) const { return is_sink(key) || is_inside(position, key); }

  // ALiBi's slopes as the paper gives them: a geometric sequence for a power of two. Else those of the power of two below,
  // then every other one of the power above.
  double slope(int64_t head) const {
    if (a_.alibi_max_bias <= 0) return 0;
    int64_t below = 1;
    while (2 * below <= a_.n_heads) below *= 2;
    const double bias = static_cast<double>(a_.alibi_max_bias);
    const auto n = static_cast<double>(below), h = static_cast<double>(head);
    return head < below ? std::exp2(-bias * (h + 1) / n) : std::exp2(-bias * (2 * (h - n) + 1) / (2 * n));
  }

  // The scaled query.
  std::vector<double> query(int64_t position, int64_t head, bool kept) const {
    const std::vector<float>& from = kept ? s_.q_kept : s_.q;
    const float* x = from.data() + (position * a_.n_heads + head) * a_.d_k;
    std::vector<float> q(static_cast<size_t>((a_.d_k + 31) / 32 * 32));
    for (int64_t c = 0; c < a_.d_k; ++c) q[static_cast<size_t>(c)] = x[c] * a_.scale;
    for (size_t block = 0; int8_queries_ && block < q.size(); block += 32) {
      float largest = 0;
      for (size_t i = block; i < block + 32; ++i) largest = std::max(largest, std::abs(q[i]));
      const float d = largest / 127.0f;
      for (size_t i = block; i < block + 32; ++i) q[i] = d > 0 ? d * std::nearbyint(q[i] * (1.0f / d)) : 0;
    }
    return {q.begin(), q.begin() + a_.d_k};
  }

  double score(const std::vector<double>& q, int64_t position, int64_t head, int64_t key) const {
    const double* k = this->key(position, key) + head / (a_.n_heads / a_.n_kv_heads) * a_.d_k;
    double sums[4] = {};  // side by side: one chain of additions is most of these tests' time
    size_t c = 0;
    for (; c + 4 <= q.size(); c += 4)
      for (size_t i = 0; i < 4; ++i) sums[i] += q[c + i] * k[c + i];
    for (; c < q.size(); ++c) sums[0] += q[c] * k[c];
    return adjusted(sums[0] + sums[1] + sums[2] + sums[3], position, head, key);
  }

  // Of a product of a query and a key.
  double adjusted(double sum, int64_t position, int64_t head, int64_t key) const {
    if (const double cap = static_cast<double>(a_.softcap); cap > 0) sum = cap * std::tanh(sum / cap);
    const int64_t distance = position - (is_sink(key) ? s_.dropped : 0) - key;
    return sum - slope(head) * static_cast<double>(distance);
  }

  // (n_kv_heads, d_k): as the row at this position meets it.
  const double* key(int64_t position, int64_t key) const {
    const bool coded = !codes_.empty() && key / kPageKeys < position / kPageKeys;
    return (coded ? codes_ : s_.cached.k).data() + key * columns();
  }

  std::vector<double> attend(int64_t position, int64_t head) const {
    const std::vector<double> q = query(position, head, false), q_kept = query(position, head, true);
    std::vector<std::pair<int64_t, double>> scores;
    double top = a_.sink_logits ? static_cast<double>(bench_.sink_logits()[static_cast<size_t>(head)]) : -1e300;
    for (int64_t key = 0; key < std::max(position + 1, s_.kv->prefix()); ++key) {
      if (!sees(position, key)) continue;
      scores.emplace_back(key, score(a_.kept_queries && is_sink(key) ? q_kept : q, position, head, key));
      top = std::max(top, scores.back().second);
    }
    double sum = a_.sink_logits ? std::exp(static_cast<double>(bench_.sink_logits()[static_cast<size_t>(head)]) - top) : 0;
    std::vector<double> out(static_cast<size_t>(a_.d_v));
    for (const auto& [key, s] : scores) {
      const double weight = std::exp(s - top);
      const double* v = value(key, head / (a_.n_heads / a_.n_kv_heads));
      sum += weight;
      double* const to = out.data();
      for (size_t c = 0, n = out.size(); c < n; ++c) to[c] += weight * v[c];
    }
    for (double& x : out) x /= sum;
    return out;
  }

  const double* value(int64_t key, int64_t kv_head) const {
    return s_.cached.v.data() + (key * a_.n_kv_heads + kv_head) * a_.d_v;
  }

  const AttentionBench& bench_;
  const Attention& a_;
  const BenchSequence& s_;
  bool int8_queries_;

 private:
  int64_t columns() const { return a_.n_kv_heads * a_.d_k; }

  // Column c of a page's keys in steps of a part of its range, which is rounded up to f16 (KIVI, arXiv 2402.02750). Keys are
  // f16, so that many lie between two codes: these are rounded as the cache rounds them.
  void add_codes(int64_t page, int64_t c, int steps, float lowest) {
    codes_.resize(static_cast<size_t>((page + 1) * kPageKeys * columns()));
    const auto at = [&](int64_t i) { return static_cast<size_t>((page * kPageKeys + i) * columns() + c); };
    double least = s_.cached.k[at(0)], most = least;
    for (int64_t i = 1; i < kPageKeys; ++i) {
      least = std::min(least, s_.cached.k[at(i)]);
      most = std::max(most, s_.cached.k[at(i)]);
    }
    const double step = half_from_above((most - least) / steps);
    for (int64_t i = 0; i < kPageKeys; ++i) {
      const float inverse = step > 0 ? 1.0f / static_cast<float>(step) : 0.0f;
      const float code = std::nearbyint(static_cast<float>(s_.cached.k[at(i)] - least) * inverse + lowest) - lowest;
      codes_[at(i)] = least + step * static_cast<double>(code);
    }
  }
  static double half_from_above(double x) {
    if (x <= 0) return 0;
    const double unit = std::exp2(std::max(-24, std::ilogb(x) - 10));
    return std::ceil(x / unit) * unit;
  }

  std::vector<double> codes_;  // (full pages, kPageKeys, n_kv_heads * d_k); empty: keys have none
};

}  // namespace skald::test
