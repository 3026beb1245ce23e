// The definition of sparse decoding, in plain loops and double precision. All keys are scored with the k1 largest query
// components, the k2 best ones are attended to, and the mean value may stand in for the others. SparQ, arXiv 2312.04985. Or
// pages are chosen by the bounds of their keys' scores (Quest, arXiv 2406.10774), or as many keys are kept as their scores
// ask for.
#pragma once

#include <algorithm>
#include <numeric>

#include "quant/f16/block.h"
#include "tests/backend/attention_reference.h"

namespace skald::test {

class SparqReference : public AttentionReference {
 public:
  /// Sums of values are kept for whole runs of keys. A run that the row sees a part of counts with all of its keys, unless
  /// its sum was made anew after some were dropped.
  enum class Mean { kOfRuns, kOfVisible };

  SparqReference(const AttentionBench& bench, size_t sequence, Mean mean = Mean::kOfRuns)
      : SparqReference(bench, sequence, bench.sparq(), mean) {}
  SparqReference(const AttentionBench& bench, size_t sequence, const SparqParams& params, Mean mean = Mean::kOfRuns)
      : AttentionReference(bench, sequence, /*int8_queries=*/false), params_(params), mean_(mean) {
    make_index();
  }

  /// Rows [from, to), as AttentionBench::out gives them.
  std::vector<float> rows(int64_t from, int64_t to) const {
    std::vector<float> out;
    for (int64_t position = from; position < to; ++position)
      for (int64_t kv_head = 0; kv_head < a_.n_kv_heads; ++kv_head)
        for (const Numbers& head : attend_group(position, kv_head)) out.insert(out.end(), head.begin(), head.end());
    return out;
  }

 private:
  using Numbers = std::vector<double>;
  using Places = std::vector<int64_t>;

  int64_t group() const { return a_.n_heads / a_.n_kv_heads; }

  std::vector<Numbers> attend_group(int64_t position, int64_t kv_head) const {
    std::vector<Numbers> out;
    const Places keys = visible(position);
    const auto n = static_cast<int64_t>(keys.size());
    const KvSpec& spec = bench_.spec();
    const KeyIndex index = spec.views[0].index.kind;
    const double key = spec.key_number_bytes();
    const SparqParams::Choice choice =
        params_.choose(n, {a_.d_k, a_.d_v, key, spec.v_format->bytes_per_number(),
                           index == KeyIndex::kNone ? key : IndexColumns::bytes_per_key(index)});
    if (choice.k2 >= n) {
      for (int64_t g = 0; g < group(); ++g) out.push_back(attend(position, kv_head * group() + g));
      return out;
    }
    std::vector<Numbers> shares;
    const Places chosen = params_.selector == KeySelection::kPages ? keys_of_pages(position, kv_head, keys, choice)
                                                                   : by_scores(position, kv_head, keys, choice, shares);
    for (int64_t g = 0; g < group(); ++g) {
      out.push_back(attend_to(position, kv_head * group() + g, keys, chosen));
      if (params_.uses_mean(group()) && chosen.size() < keys.size())
        mix_mean(position, kv_head, keys, chosen, shares[static_cast<size_t>(g)], out.back());
      for (double& x : out.back()) x *= 1 - sink_share(position, kv_head * group() + g, keys, chosen);
    }
    return out;
  }

  // `shares`: the group's softmaxes of approximate scores.
  Places by_scores(int64_t position, int64_t kv_head, const Places& keys, const SparqParams::Choice& choice,
                   std::vector<Numbers>& shares) const {
    const Places dims = components(position, kv_head, choice.k1);
    std::vector<Numbers> scores;
    for (int64_t g = 0; g < group(); ++g) {
      scores.push_back(approximate(position, kv_head * group() + g, keys, dims));
      if (choice.pages > 0) skip_pages(position, kv_head, keys, choice, scores.back());
      shares.push_back(softmax(scores.back()));
    }
    return choose(shares, choice);
  }

  // The places of keys in pages that the row sees as a whole, inside of its window or kept, page by page.
  std::vector<Places> whole_pages(int64_t position, const Places& keys) const {
    std::vector<Places> out;
    for (size_t i = 0; i + kPageKeys <= keys.size();) {
      const int64_t first = keys[i], last = keys[i + kPageKeys - 1];
      const bool whole =
          first % kPageKeys == 0 && last == first + kPageKeys - 1 && (is_sink(last) || is_inside(position, first));
      if (whole) {
        out.emplace_back(kPageKeys);
        std::iota(out.back().begin(), out.back().end(), static_cast<int64_t>(i));
      }
      i += whole ? kPageKeys : 1;
    }
    return out;
  }

  // The most that a key of the page can score.
  double bound(int64_t position, int64_t head, const Places& keys, const Places& page) const {
    const bool kept = is_sink(keys[static_cast<size_t>(page[0])]);
    const Numbers q = query(position, head, a_.kept_queries && kept);
    Numbers best(q.size());
    for (size_t c = 0; c < q.size(); ++c) {
      double most = -HUGE_VAL;
      for (const int64_t i : page)
        most = std::max(most, q[c] * cached(keys[static_cast<size_t>(i)], head / group(), static_cast<int64_t>(c)));
      best[c] = most;
    }
    return adjusted(std::accumulate(best.begin(), best.end(), 0.0), position, head, keys[static_cast<size_t>(page.back())]);
  }

  // The `wanted` best pages, ascending; as many of the last ones as hold the recent keys are among them.
  Places best_pages(int64_t position, int64_t kv_head, const Places& keys, const std::vector<Places>& pages, int64_t wanted,
                    int64_t local) const {
    Numbers rank(pages.size());
    for (int64_t g = 0; g < group(); ++g) {
      Numbers bounds;
      for (const Places& page : pages) bounds.push_back(bound(position, kv_head * group() + g, keys, page));
      bounds = softmax(bounds);
      for (size_t i = 0; i < rank.size(); ++i) rank[i] += bounds[i];
    }
    const auto recent = static_cast<size_t>(std::min(wanted, (local + kPageKeys - 1) / kPageKeys));
    for (size_t i = rank.size() - recent; i < rank.size(); ++i) rank[i] += 1e9;
    Places out = largest(rank, wanted);
    std::ranges::sort(out);
    return out;
  }

  Places keys_of_pages(int64_t position, int64_t kv_head, const Places& keys, const SparqParams::Choice& choice) const {
    const std::vector<Places> pages = whole_pages(position, keys);
    Places all(keys.size());
    std::iota(all.begin(), all.end(), 0);
    if (pages.empty()) return all;
    const auto n = static_cast<int64_t>(pages.size()), single = static_cast<int64_t>(keys.size()) - n * kPageKeys;
    const int64_t wanted = std::clamp<int64_t>((choice.k2 - single) / kPageKeys, 1, n);
    std::vector<bool> left(keys.size());
    for (const Places& page : pages)
      for (const int64_t i : page) left[static_cast<size_t>(i)] = true;
    for (const int64_t page : best_pages(position, kv_head, keys, pages, wanted, choice.local))
      for (const int64_t i : pages[static_cast<size_t>(page)]) left[static_cast<size_t>(i)] = false;
    std::erase_if(all, [&](int64_t i) { return left[static_cast<size_t>(i)]; });
    return all;
  }

  // The keys that are in none of the best pages, though these be as whole, and are not kept ones, have no weight.
  void skip_pages(int64_t position, int64_t kv_head, const Places& keys, const SparqParams::Choice& choice,
                  Numbers& scores) const {
    const std::vector<Places> pages = whole_pages(position, keys);
    if (pages.empty()) return;
    const Places scored =
        best_pages(position, kv_head, keys, pages, std::min(choice.pages, static_cast<int64_t>(pages.size())), choice.local);
    for (size_t page = 0; page < pages.size(); ++page)
      if (!std::ranges::binary_search(scored, static_cast<int64_t>(page)) &&
          !is_sink(keys[static_cast<size_t>(pages[page][0])]))
        for (const int64_t i : pages[page]) scores[static_cast<size_t>(i)] = -1e30;
  }

  Places visible(int64_t position) const {
    Places keys;
    for (int64_t key = 0; key <= position; ++key)
      if (sees(position, key)) keys.push_back(key);
    return keys;
  }

  // The first n places of the largest numbers; the first of equal ones.
  static Places largest(const Numbers& x, int64_t n) {
    Places places(x.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places,
                             [&](int64_t i, int64_t j) { return x[static_cast<size_t>(i)] > x[static_cast<size_t>(j)]; });
    places.resize(static_cast<size_t>(n));
    return places;
  }

  double cached(int64_t key, int64_t kv_head, int64_t c) const {
    return s_.cached.k[static_cast<size_t>((key * a_.n_kv_heads + kv_head) * a_.d_k + c)];
  }

  // Keys as the index has them: those of whole pages are rounded, but for f16 by component and page.
  void make_index() {
    indexed_ = s_.cached.k;
    const KeyIndex kind = bench_.spec().views[0].index.kind;
    if (kind == KeyIndex::kF16)
      for (double& x : indexed_) x = static_cast<double>(f16_to_f32(f32_to_f16(static_cast<float>(x))));
    if (kind != KeyIndex::kInt8 && kind != KeyIndex::kInt4) return;
    const int64_t columns = a_.n_kv_heads * a_.d_k, n = std::ssize(indexed_) / columns;
    for (int64_t page = 0; page + kPageKeys <= n; page += kPageKeys)
      for (int64_t c = 0; c < columns; ++c) round_page(kind, indexed_.data() + page * columns + c, columns);
  }
  static void round_page(KeyIndex kind, double* first, int64_t stride) {
    double least = *first, most = least;
    for (int64_t i = 0; i < kPageKeys; ++i) {
      least = std::min(least, first[i * stride]);
      most = std::max(most, first[i * stride]);
    }
    const double largest = std::max(most, -least);
    for (int64_t i = 0; i < kPageKeys; ++i) {
      double& x = first[i * stride];
      if (kind == KeyIndex::kInt8)
        x = largest > 0 ? std::nearbyint(x * 127 / largest) * largest / 127 : 0;
      else if (most > least)
        x = (least + most) / 2 + (std::nearbyint((x - least) * 15 / (most - least)) - 7.5) * (most - least) / 15;
    }
  }
  double indexed(int64_t key, int64_t kv_head, int64_t c) const {
    return indexed_[static_cast<size_t>((key * a_.n_kv_heads + kv_head) * a_.d_k + c)];
  }
  // Whether the row meets the key's approximate score by the index: from 1024 keys on, those of pages that are whole among
  // the kept keys, or before the row's end.
  bool meets_index(int64_t position, int64_t key, int64_t n_keys) const {
    const int64_t end = key - key % kPageKeys + kPageKeys;
    if (n_keys < SparqParams::kIndexFrom || bench_.spec().views[0].index.kind == KeyIndex::kNone) return false;
    return is_sink(key) ? is_sink(end - 1) : end <= position + 1;
  }

  // Standard deviations of the components of the keys in pages that the row sees as a whole: ones without such pages, or
  // where |q| is to choose.
  Numbers spread(int64_t position, int64_t kv_head) const {
    Numbers out(static_cast<size_t>(a_.d_k), 1.0);
    if (params_.choice == SparqChoice::kMagnitude) return out;
    Places keys;
    for (int64_t page = 0; page + kPageKeys <= position + 1; page += kPageKeys) {
      Places all(kPageKeys);
      std::iota(all.begin(), all.end(), page);
      const bool kept = std::ranges::all_of(all, [&](int64_t key) { return is_sink(key); });
      if (kept || std::ranges::all_of(all, [&](int64_t key) { return is_inside(position, key); }))
        keys.insert(keys.end(), all.begin(), all.end());
    }
    for (int64_t c = 0; c < a_.d_k && !keys.empty(); ++c) {
      double sum = 0, squares = 0;
      for (const int64_t key : keys) {
        const double x = indexed(key, kv_head, c);
        sum += x;
        squares += x * x;
      }
      const auto n = static_cast<double>(keys.size());
      out[static_cast<size_t>(c)] = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
    }
    return out;
  }

  // The weight of each component of the query.
  static Numbers weights(const Numbers& q, const Numbers& spread) {
    Numbers out;
    for (size_t c = 0; c < spread.size(); ++c) out.push_back(std::abs(q[c]) * spread[c]);
    return out;
  }

  Places components(int64_t position, int64_t kv_head, int64_t k1) const {
    Numbers sums(static_cast<size_t>(a_.d_k));
    for (int64_t g = 0; g < group(); ++g) {
      const Numbers w = weights(query(position, kv_head * group() + g, false), spread(position, kv_head));
      for (size_t c = 0; c < sums.size(); ++c) sums[c] += w[c];
    }
    return largest(sums, k1);
  }

  // The query with these components only; the softmax is as warm as their share of all `weights`.
  Numbers masked(const Numbers& q, const Numbers& weights, const Places& dims) const {
    Numbers out(q.size());
    double all = 0, held = 0;
    for (const double x : weights) all += x;
    for (const int64_t c : dims) held += weights[static_cast<size_t>(c)];
    for (const int64_t c : dims) out[static_cast<size_t>(c)] = q[static_cast<size_t>(c)] * std::sqrt(all / held);
    return out;
  }

  Numbers approximate(int64_t position, int64_t head, const Places& keys, const Places& dims) const {
    const Numbers own = query(position, head, false), kept = query(position, head, true);
    const Numbers sd = spread(position, head / group()), w = weights(own, sd);
    const bool by_spread = std::ranges::any_of(sd, [](double x) { return x != 1; });
    const Numbers q = masked(own, w, dims), q_kept = masked(kept, by_spread ? w : weights(kept, sd), dims);
    Numbers x;
    for (const int64_t key : keys) {
      const Numbers& at = a_.kept_queries && is_sink(key) ? q_kept : q;
      x.push_back(meets_index(position, key, std::ssize(keys)) ? score_by_index(at, position, head, key)
                                                               : score(at, position, head, key));
    }
    return x;
  }
  double score_by_index(const Numbers& q, int64_t position, int64_t head, int64_t key) const {
    double sum = 0;
    for (size_t c = 0; c < q.size(); ++c) sum += q[c] * indexed(key, head / group(), static_cast<int64_t>(c));
    return adjusted(sum, position, head, key);
  }

  static Numbers softmax(Numbers x) {
    const double top = *std::ranges::max_element(x);
    double sum = 0;
    for (double& v : x) sum += v = std::exp(v - top);
    for (double& v : x) v /= sum;
    return x;
  }

  static Places choose(const std::vector<Numbers>& shares, const SparqParams::Choice& choice) {
    Numbers rank(shares[0].size());
    for (const Numbers& s : shares)
      for (size_t i = 0; i < rank.size(); ++i) rank[i] += s[i];
    for (size_t i = rank.size() - static_cast<size_t>(choice.local); i < rank.size(); ++i) rank[i] += 1e9;
    return largest(rank, choice.k2);
  }

  Numbers exact_scores(int64_t position, int64_t head, const Places& keys, const Places& chosen) const {
    const Numbers q = query(position, head, false), q_kept = query(position, head, true);
    Numbers x;
    for (const int64_t i : chosen) {
      const int64_t key = keys[static_cast<size_t>(i)];
      x.push_back(score(a_.kept_queries && is_sink(key) ? q_kept : q, position, head, key));
    }
    return x;
  }

  // Of the weight of the chosen keys and the head's sink.
  double sink_share(int64_t position, int64_t head, const Places& keys, const Places& chosen) const {
    if (!a_.sink_logits) return 0;
    Numbers x = exact_scores(position, head, keys, chosen);
    x.push_back(static_cast<double>(bench_.sink_logits()[static_cast<size_t>(head)]));
    return softmax(x).back();
  }

  Numbers attend_to(int64_t position, int64_t head, const Places& keys, const Places& chosen) const {
    const Numbers x = softmax(exact_scores(position, head, keys, chosen));
    Numbers out(static_cast<size_t>(a_.d_v));
    for (size_t i = 0; i < chosen.size(); ++i) {
      const double* v = value(keys[static_cast<size_t>(chosen[i])], head / group());
      for (size_t c = 0; c < out.size(); ++c) out[c] += x[i] * v[c];
    }
    return out;
  }

  void mix_mean(int64_t position, int64_t kv_head, const Places& keys, const Places& chosen, const Numbers& shares,
                Numbers& out) const {
    double alpha = 0;
    for (const int64_t i : chosen) alpha += shares[static_cast<size_t>(i)];
    Numbers mean(out.size());
    double n = 0;
    for (int64_t key = keys[0] / run() * run(); key <= position; ++key) {
      if (mean_ == Mean::kOfVisible && !sees(position, key)) continue;
      for (size_t c = 0; c < mean.size(); ++c) mean[c] += value(key, kv_head)[c];
      ++n;
    }
    for (size_t c = 0; c < out.size(); ++c) out[c] = alpha * out[c] + (1 - alpha) * mean[c] / n;
  }
  int64_t run() const { return bench_.spec().groups[0].run_keys; }

  const SparqParams& params_;
  Mean mean_;
  Numbers indexed_;  // (keys, n_kv_heads, d_k)
};

}  // namespace skald::test
