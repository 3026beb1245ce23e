#include "sampling/grammar/pushdown_program.h"

#include <utility>

#include "sampling/grammar/program_builder.h"

namespace skald {

PushdownProgram::PushdownProgram(Grammar grammar) {
  ProgramBuilder(grammar, *this).build();
  regexes_ = std::move(grammar.regexes);
  regexes_.set_limit({});  // of compiling
}

std::span<const GrammarLeaf> PushdownProgram::leaves(ItemId item) {
  if (items_[item].leaves == ~uint32_t{0}) find_leaves(item);
  return std::span(leaves_).subspan(items_[item].leaves, items_[item].leaves_end - items_[item].leaves);
}

void PushdownProgram::find_leaves(ItemId item) {
  seen_.resize(items_.size());
  ++round_;
  const auto begin = static_cast<uint32_t>(leaves_.size());
  std::vector<ItemId> stack{item};
  while (!stack.empty()) {
    const ItemId id = stack.back();
    stack.pop_back();
    if (std::exchange(seen_[id], round_) == round_) continue;
    const Item& at = items_[id];
    if (at.splits) {
      for (uint32_t i = at.end; i-- > at.begin;) stack.push_back(splits_[i]);
      continue;
    }
    leaves_.push_back(at.leaf);
    if (at.skips) stack.push_back(at.leaf.next);
  }
  items_[item].leaves = begin;
  items_[item].leaves_end = static_cast<uint32_t>(leaves_.size());
}

size_t PushdownProgram::memory() const {
  return regexes_.memory() + items_.capacity() * sizeof(Item) + leaves_.capacity() * sizeof(GrammarLeaf) +
         rules_.capacity() * sizeof(Rule) + splits_.capacity() * sizeof(ItemId);
}

}  // namespace skald
