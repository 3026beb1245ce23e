// Scheduler: how many tokens of each branch the next step computes, and which branches must give up pages for it. A pure
// decision, tested without a model.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "kv/room.h"

namespace skald {

/// One branch as the scheduler sees it.
struct BranchLoad {
  int64_t tokens = 0;       // not computed yet: the rest of the prompt, or the last generated token
  int64_t at_once = 0;      // the first of them that must be in one step; at most `tokens` and the rows of a step
  int64_t position = 0;     // of the first of them
  bool to_borders = false;  // steps end at multiples of kPageKeys, or take all tokens
  std::function<KvRoom(int64_t tokens)> need = {};  // the room of the first `tokens` of them; empty: nothing
  std::function<KvRoom()> owned = {};               // the room that it frees; empty: nothing
};

/// How long prompts may take beside generated rows.
struct PromptLimit {
  double seconds = std::numeric_limits<double>::infinity();
  std::function<double(int64_t position, int64_t tokens)> cost = {};  // in seconds
};

struct StepShare {
  size_t branch;   // index into the branches given
  int64_t tokens;  // > 0
};

struct StepPlan {
  std::vector<StepShare> shares;
  std::vector<size_t> preempted;  // branches whose pages the step needs
};

/// Plans at most `rows` tokens of branches in the order given, that of their age. First come those whose beginning cannot be
/// cut and still fits, since beside enough decode steps it never would. Then come one-token branches (decode steps). Then
/// come short prompts, in up to half of the rest, where the oldest prompt takes more steps than this. Then comes as much as
/// fits of the others. Where `room` does not do, prompts are cut down to a page. Then the youngest branches that the step
/// has not taken give theirs up, but for older ones only. Prompts are cut further to keep to the limit, the first one to 16
/// rows at the least, or to a page's border. Without tokens pending the plan is empty.
StepPlan schedule(std::span<const BranchLoad> branches, KvRoom room, int64_t rows, const PromptLimit& limit = {});

}  // namespace skald
