// Scheduler: how many tokens of each branch the next step computes, and who must give up its pages for it. A pure decision,
// tested without a model.
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
  int64_t tokens = 0;       // not computed yet: the rest of the prompt, or what was generated last
  int64_t at_once = 0;      // the first of them that must be in one step; at most `tokens` and the rows of a step
  int64_t position = 0;     // of the first of them
  bool to_borders = false;  // steps end at multiples of kPageKeys, or take all tokens
  std::function<KvRoom(int64_t tokens)> need = {};  // what the first `tokens` of them take; empty: nothing
  std::function<KvRoom()> owned = {};               // what is free without the branch; empty: nothing
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

/// At most `rows` tokens of branches in the order given, that of their age: first those whose beginning cannot be cut and
/// still fits, since beside enough decode steps it never would; then one-token branches (decode steps); then short prompts,
/// in up to half of what is left, where the oldest prompt takes more steps than this; then as much as fits of the others.
/// Where `room` does not do, prompts are cut down to a page, then the youngest branches that the step has not taken give
/// theirs up, but for older ones only. Prompts are cut further to keep to the limit, the first one to 16 rows at the least,
/// or to a page's border. Without tokens pending the plan is empty.
StepPlan schedule(std::span<const BranchLoad> branches, KvRoom room, int64_t rows, const PromptLimit& limit = {});

}  // namespace skald
