#include "engine/scheduler.h"

#include <algorithm>
#include <ranges>

#include "kv/page_origin.h"

namespace skald {
namespace {

constexpr int64_t kLeastRows = 16;  // of a prompt, beside generated ones: fewer would read the weights for little
static_assert(kPageKeys % kLeastRows == 0);

enum class Kind : uint8_t { kUncut, kDecode, kPrompt };

Kind kind_of(const BranchLoad& b) {
  if (b.at_once > 1) return Kind::kUncut;
  return b.tokens == 1 ? Kind::kDecode : Kind::kPrompt;
}

class Planner {
 public:
  Planner(std::span<const BranchLoad> branches, KvRoom room, int64_t rows, const PromptLimit& limit)
      : branches_(branches),
        room_(std::move(room)),
        rows_(rows),
        limit_(limit),
        seconds_(limit.seconds),
        decided_(branches.size()) {}

  StepPlan run() {
    take_all(Kind::kUncut);
    take_all(Kind::kDecode);
    take_short_prompts();
    take_all(Kind::kPrompt);
    return std::move(plan_);
  }

 private:
  bool is_left(size_t i, Kind kind) const {
    const BranchLoad& b = branches_[i];
    return b.tokens && !decided_[i] && kind_of(b) == kind && b.at_once <= rows_;
  }

  void take_all(Kind kind) {
    for (size_t i = 0; i < branches_.size() && rows_ > 0; ++i)
      if (is_left(i, kind)) take(i);
  }

  // Prompts that are read in a part of this step, where the oldest one takes more steps. It keeps a page and half of the
  // rows and of the time.
  void take_short_prompts() {
    size_t oldest = 0;
    while (oldest < branches_.size() && !is_left(oldest, Kind::kPrompt)) ++oldest;
    if (oldest == branches_.size() || most_of(branches_[oldest]) == branches_[oldest].tokens) return;
    const int64_t rows = rows_ - std::min(rows_ / 2, rows_ - kPageKeys);
    const double seconds = seconds_ / 2;
    for (size_t i = oldest + 1; i < branches_.size(); ++i) {
      const BranchLoad& b = branches_[i];
      if (!is_left(i, Kind::kPrompt) || rows_ - b.tokens < rows) continue;
      const bool in_time = !limit_.cost || seconds_ - limit_.cost(b.position, b.tokens) >= seconds;
      if (in_time && room_.covers(need_of(b, b.tokens))) take(i);
    }
    has_prompt_ = false;
  }

  void take(size_t i) {
    const BranchLoad& b = branches_[i];
    int64_t tokens = most_of(b);
    if (tokens == 0) return;
    KvRoom need;
    for (need = need_of(b, tokens); !room_.covers(need); need = need_of(b, tokens)) {
      const int64_t least = std::max<int64_t>({1, b.at_once, cut(b, std::min(tokens, kPageKeys))});
      if (tokens > least)
        tokens = std::max(least, cut(b, tokens / 2));
      else if (!preempt_behind(i))
        return;
    }
    room_ -= need;
    decided_[i] = true;
    rows_ -= tokens;
    if (limit_.cost && kind_of(b) == Kind::kPrompt) {
      seconds_ -= limit_.cost(b.position, tokens);
      has_prompt_ = true;
    }
    plan_.shares.push_back({i, tokens});
  }

  int64_t most_of(const BranchLoad& b) const { return cut(b, in_time(b, std::min(b.tokens, rows_))); }

  // As many of the first `tokens` of a prompt as the limit lets: whole pages, or the part of one that fits. The first prompt
  // gets the least in any case.
  int64_t in_time(const BranchLoad& b, int64_t tokens) const {
    if (!limit_.cost || kind_of(b) != Kind::kPrompt || limit_.cost(b.position, tokens) <= seconds_) return tokens;
    const int64_t piece = b.to_borders ? kPageKeys : kLeastRows;
    const auto fits = [&](int64_t pieces) { return limit_.cost(b.position, pieces * piece) <= seconds_; };
    const auto sizes = std::views::iota(int64_t{1}, tokens / piece + 1);
    int64_t rows = (std::ranges::partition_point(sizes, fits) - sizes.begin()) * piece;
    if (rows > kPageKeys) rows -= rows % kPageKeys;
    return std::min(tokens, std::max(rows, has_prompt_ ? 0 : piece));
  }

  // As many of the first `tokens` as may be in a step.
  static int64_t cut(const BranchLoad& b, int64_t tokens) {
    if (!b.to_borders || tokens == b.tokens) return tokens;
    return std::max<int64_t>(0, tokens - (b.position + tokens) % kPageKeys);
  }
  static KvRoom need_of(const BranchLoad& b, int64_t tokens) { return b.need ? b.need(tokens) : KvRoom{}; }

  bool preempt_behind(size_t i) {
    for (size_t j = branches_.size() - 1; j > i; --j) {
      const KvRoom owned = decided_[j] || !branches_[j].owned ? KvRoom{} : branches_[j].owned();
      if (std::ranges::all_of(owned.counts, [](int64_t n) { return n == 0; })) continue;
      decided_[j] = true;
      room_ += owned;
      plan_.preempted.push_back(j);
      return true;
    }
    return false;
  }

  std::span<const BranchLoad> branches_;
  KvRoom room_;
  int64_t rows_;
  const PromptLimit& limit_;
  double seconds_;             // that prompts may still take
  bool has_prompt_ = false;    // takes part, short ones aside
  std::vector<bool> decided_;  // in the step, or preempted
  StepPlan plan_;
};

}  // namespace

StepPlan schedule(std::span<const BranchLoad> branches, KvRoom room, int64_t rows, const PromptLimit& limit) {
  return Planner(branches, std::move(room), rows, limit).run();
}

}  // namespace skald
