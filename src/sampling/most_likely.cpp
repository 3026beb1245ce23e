#include "sampling/most_likely.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace skald {
namespace {

constexpr size_t kMaximumBlock = 256;

// Of a block that vectors compare: NaN reaches nothing.
bool any_reaches(const float* x, size_t n, float least) {
  uint32_t any = 0;
  for (size_t i = 0; i < n; ++i) any |= static_cast<uint32_t>(x[i] >= least);
  return any != 0;
}

// fn(id) for each logit that reaches `least`, which fn may raise.
template <class Fn>
void for_reaching(std::span<const float> logits, const float& least, Fn fn) {
  for (size_t block = 0; block < logits.size(); block += kMaximumBlock) {
    const size_t n = std::min(kMaximumBlock, logits.size() - block);
    if (!any_reaches(logits.data() + block, n, least)) continue;
    for (size_t i = block; i < block + n; ++i)
      if (logits[i] >= least) fn(static_cast<TokenId>(i));
  }
}

// A total order, so that results do not depend on the sort.
struct MoreLikely {
  std::span<const float> logits;
  bool operator()(TokenId a, TokenId b) const {
    const float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
    if (std::isnan(x) != std::isnan(y)) return std::isnan(y);
    if (!std::isnan(x) && x != y) return x > y;
    return a < b;
  }
};

void number_all(size_t n, std::vector<TokenId>& out) {
  out.resize(n);
  std::iota(out.begin(), out.end(), 0);
}

void keep_first(size_t keep, std::vector<TokenId>& ids, const MoreLikely& order) {
  std::nth_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(keep - 1), ids.end(), order);
  ids.resize(keep);
}

}  // namespace

void most_likely(std::span<const float> logits, size_t k, std::vector<TokenId>& out) {
  const size_t keep = std::min(k, logits.size()), room = std::max<size_t>(4 * keep, kMaximumBlock);
  const MoreLikely order{logits};
  out.clear();
  if (keep == 0) return;
  if (room < logits.size() / 2) {  // else too many for a bound to help
    float least = -std::numeric_limits<float>::infinity();
    for_reaching(logits, least, [&](TokenId id) {
      out.push_back(id);
      if (out.size() < room) return;
      keep_first(keep, out, order);
      least = logits[static_cast<size_t>(out.back())];
    });
  }
  if (out.size() < keep) number_all(logits.size(), out);  // or NaN is among them
  keep_first(keep, out, order);
  std::ranges::sort(out, order);
}

TokenId argmax(std::span<const float> logits) {
  float best = -std::numeric_limits<float>::infinity();
  TokenId at = 0;
  bool found = false;
  for_reaching(logits, best, [&](TokenId id) {
    const float x = logits[static_cast<size_t>(id)];
    if (found && !(x > best)) return;
    at = id;
    best = x;
    found = true;
  });
  return at;
}

}  // namespace skald
