// A beam search: which texts of a job go on, and which end.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "engine/job.h"

namespace skald {
namespace {

void leave_slot(Branch& text, std::vector<int64_t>& freed) {
  if (text.has_slot()) freed.push_back(std::exchange(text.slot, Branch::kNoSlot));
}

}  // namespace

// Texts are ended, and copied, while all live ones are as they were: where memory is missing, the job still has them all.
int64_t Job::extend(Clock::time_point now, std::vector<int64_t>& freed) {
  if (over_ || !searches() || !std::ranges::all_of(branches_, &Branch::waits)) return 0;
  freed.reserve(branches_.size() + static_cast<size_t>(request_.beams));
  if (!first_token_) {
    first_token_ = now;
    take_prompt_probs();
  }
  const BeamGeneration next = best_candidates();
  end_texts(next.ended);
  replace_live(next.live, freed);
  auto chosen = next.live.begin();
  for (auto at = branches_.begin(); at != branches_.end();) {
    const auto text = at++;
    const FinishReason reason = take(*text, text->follow(chosen++->next), now);
    if (reason == FinishReason::kNone) continue;
    end(*text, reason);
    leave_slot(*text, freed);
    keep_finished(branches_, text);
  }
  result_.timing.n_generated += std::ssize(next.live);
  if (is_decided()) {
    for (Branch& text : branches_) leave_slot(text, freed);
    branches_.clear();
    give_result(now);
  }
  return std::ssize(next.live);
}

BeamGeneration Job::best_candidates() const {
  std::vector<LiveText> live;
  for (const Branch& text : branches_) live.push_back({text.text.log_prob, text.candidates()});
  BeamGeneration out = next_generation(live, request_.beams, [this](TokenId token) { return is_end(token); });
  if (out.live.empty() && out.ended.empty() && finished_.empty())
    skald::fail(Errc::kBadInput, "beams: no token is possible after {} tokens", branches_.front().text.tokens.size());
  return out;
}

void Job::end_texts(std::span<const LongerText> ended) {
  for (const LongerText& text : ended) {
    const Branch& parent = *std::next(branches_.begin(), static_cast<std::ptrdiff_t>(text.parent));
    std::list<Branch> copy;
    Branch& branch = copy.emplace_back(parent.fork(parent.seed()));
    branch.text.end_token = text.next.token;
    branch.text.log_prob = text.log_prob;
    end(branch, FinishReason::kEnd);
    keep_finished(copy, copy.begin());
  }
}

// A text goes on with the first of its candidates itself, and with the others as copies. The texts that do not go on leave
// their slots.
void Job::replace_live(std::span<const LongerText> live, std::vector<int64_t>& freed) {
  std::vector<std::list<Branch>::iterator> parents;
  for (auto text = branches_.begin(); text != branches_.end(); ++text) parents.push_back(text);
  std::vector<bool> taken(parents.size()), goes_on(parents.size());
  std::list<Branch> copies, now;
  for (const LongerText& text : live) {
    if (taken[text.parent]) copies.push_back(parents[text.parent]->fork(parents[text.parent]->seed()));
    taken[text.parent] = true;
  }
  for (const LongerText& text : live) {
    if (goes_on[text.parent])
      now.splice(now.end(), copies, copies.begin());
    else
      now.splice(now.end(), branches_, parents[text.parent]);
    goes_on[text.parent] = true;
  }
  for (Branch& text : branches_) leave_slot(text, freed);
  branches_.swap(now);
}

// Equal ones stay in the order in which they ended. No more are kept than live texts.
void Job::keep_finished(std::list<Branch>& from, std::list<Branch>::iterator text) {
  const auto worse =
      std::ranges::find_if(finished_, [&](const Branch& other) { return other.text.score < text->text.score; });
  finished_.splice(worse, from, text);
  if (std::ssize(finished_) > request_.beams) finished_.pop_back();
}

// Whether no live text can still come before the worst of those that are kept.
bool Job::is_decided() const {
  if (branches_.empty()) return true;
  if (std::ssize(finished_) < request_.beams) return false;
  const int64_t room = most_positions() - branches_.front().n_prompt();
  const int64_t most = request_.max_tokens < 0 ? room : std::min<int64_t>(room, request_.max_tokens);
  const Choice& best = branches_.front().text;
  return best_reach(best.log_prob, std::ssize(best.tokens), most, request_.length_penalty) <= finished_.back().text.score;
}

}  // namespace skald
