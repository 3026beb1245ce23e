// A beam search that computes each text anew and keeps nothing, to compare the engine's with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "skald/engine.h"

namespace skald::test {

struct FoundText {
  std::vector<TokenId> ids = {};  // with the end token
  double log_prob = 0, score = 0;
  FinishReason finish = FinishReason::kLength;
};

struct SearchRules {
  int beams = 1;
  double penalty = 1;
  int most = 1;  // tokens
  std::set<TokenId> ends = {};
};

/// The log-probabilities of all tokens after those of a text; -infinity: not possible.
using LogProbsAfter = std::function<std::vector<double>(const std::vector<TokenId>& ids)>;

inline std::vector<FoundText> search(const SearchRules& rules, const LogProbsAfter& after) {
  const auto n = static_cast<size_t>(rules.beams);
  const auto score = [&](double sum, size_t length) { return sum / std::pow(static_cast<double>(length), rules.penalty); };
  const auto by_score = [](const FoundText& a, const FoundText& b) { return a.score > b.score; };
  std::vector<FoundText> live(1), done;
  for (int step = 0; step < rules.most && !live.empty(); ++step) {
    std::vector<std::tuple<double, size_t, TokenId>> all;  // the sum turned round, text, token
    for (size_t b = 0; b < live.size(); ++b) {
      const std::vector<double> next = after(live[b].ids);
      for (size_t id = 0; id < next.size(); ++id)
        if (std::isfinite(next[id])) all.emplace_back(-(live[b].log_prob + next[id]), b, static_cast<TokenId>(id));
    }
    std::ranges::sort(all);
    std::vector<FoundText> longer;
    for (size_t rank = 0; rank < all.size(); ++rank) {
      const auto& [sum, b, id] = all[rank];
      FoundText text{live[b].ids, -sum};
      text.ids.push_back(id);
      text.score = score(-sum, text.ids.size());
      if (!rules.ends.contains(id)) {
        if (longer.size() < n) longer.push_back(text);
      } else if (rank < n) {
        text.finish = FinishReason::kEnd;
        done.push_back(text);
      }
    }
    std::ranges::stable_sort(done, by_score);
    if (done.size() > n) done.resize(n);
    live = longer;
    if (done.size() < n || live.empty()) continue;
    const size_t length = rules.penalty > 0 ? static_cast<size_t>(rules.most) : live[0].ids.size();
    if (score(live[0].log_prob, length) <= done.back().score) live.clear();
  }
  done.insert(done.end(), live.begin(), live.end());
  std::ranges::stable_sort(done, by_score);
  if (done.size() > n) done.resize(n);
  return done;
}

}  // namespace skald::test
