#include "engine/beams/beam_search.h"

#include <algorithm>
#include <cmath>

namespace skald {
namespace {

bool is_before(const LongerText& a, const LongerText& b) {
  if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
  return a.parent != b.parent ? a.parent < b.parent : a.next.token < b.next.token;
}

std::vector<LongerText> all_candidates(std::span<const LiveText> live) {
  std::vector<LongerText> out;
  for (size_t i = 0; i < live.size(); ++i)
    for (const TokenLogProb& next : live[i].candidates) out.push_back({i, next, live[i].log_prob + next.log_prob});
  std::ranges::sort(out, is_before);
  return out;
}

}  // namespace

BeamGeneration next_generation(std::span<const LiveText> live, int beams, const std::function<bool(TokenId)>& ends) {
  const auto n = static_cast<size_t>(beams);
  const std::vector<LongerText> all = all_candidates(live);
  BeamGeneration out;
  for (size_t rank = 0; rank < all.size() && (rank < n || out.live.size() < n); ++rank) {
    const LongerText& text = all[rank];
    if (!ends(text.next.token)) {
      if (out.live.size() < n) out.live.push_back(text);
    } else if (rank < n) {
      out.ended.push_back(text);
    }
  }
  return out;
}

double beam_score(double log_prob, int64_t tokens, double penalty) {
  return log_prob / std::pow(static_cast<double>(std::max<int64_t>(tokens, 1)), penalty);
}

// A log-probability only falls, and a positive penalty forgives the more of it the longer a text is.
double best_reach(double log_prob, int64_t tokens, int64_t most, double penalty) {
  return beam_score(log_prob, penalty > 0 ? most : tokens, penalty);
}

}  // namespace skald
