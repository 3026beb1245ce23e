#include "sampling/filters/top_k.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace skald {
namespace {

constexpr size_t kBlock = 256;

// Of a block that vectors compare: NaN reaches nothing.
bool any_reaches(const float* x, size_t n, float least) {
  uint32_t any = 0;
  for (size_t i = 0; i < n; ++i) any |= static_cast<uint32_t>(x[i] >= least);
  return any != 0;
}

// fn(id) for each logit that reaches `least`, which fn may raise.
template <class Fn>
void for_reaching(std::span<const float> logits, const float& least, Fn fn) {
  for (size_t block = 0; block < logits.size(); block += kBlock) {
    const size_t n = std::min(kBlock, logits.size() - block);
    if (!any_reaches(logits.data() + block, n, least)) continue;
    for (size_t i = block; i < block + n; ++i)
      if (logits[i] >= least) fn(static_cast<TokenId>(i));
  }
}

void all_of(std::span<const float> logits, std::vector<Candidate>& out) {
  out.clear();
  for (size_t i = 0; i < logits.size(); ++i) out.push_back({static_cast<TokenId>(i), logits[i]});
}

}  // namespace

void keep_top_k(std::vector<Candidate>& candidates, int k) {
  const size_t keep = k > 0 ? std::min(static_cast<size_t>(k), candidates.size()) : candidates.size();
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(keep), candidates.end(),
                    more_likely);
  candidates.resize(keep);
}

void top_k_of(std::span<const float> logits, int k, std::vector<Candidate>& out) {
  const auto keep = std::min(static_cast<size_t>(k), logits.size());
  const size_t room = std::max<size_t>(4 * keep, kBlock);
  if (room >= logits.size() / 2) {  // too many for a bound to help
    all_of(logits, out);
    return keep_top_k(out, k);
  }
  out.clear();
  float least = -std::numeric_limits<float>::infinity();
  for_reaching(logits, least, [&](TokenId id) {
    out.push_back({id, logits[static_cast<size_t>(id)]});
    if (out.size() < room) return;
    std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(keep - 1), out.end(), more_likely);
    out.resize(keep);
    least = out.back().logit;
  });
  if (out.size() < keep) all_of(logits, out);  // NaN is among them
  keep_top_k(out, k);
}

TokenId argmax(std::span<const float> logits) {
  Candidate best{0, -std::numeric_limits<float>::infinity()};
  bool found = false;
  for_reaching(logits, best.logit, [&](TokenId id) {
    const float x = logits[static_cast<size_t>(id)];
    if (found && !(x > best.logit)) return;
    best = {id, x};
    found = true;
  });
  return best.id;
}

}  // namespace skald
