#include "text/merge_queue.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/interruption.h"

namespace skald {

static constexpr size_t kWorkOfMerge = 16;

size_t MergeTable::start(TokenId left, TokenId right) const noexcept {
  // Fibonacci hashing: the product's high bits depend on all bits of the pair.
  const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  const uint64_t mixed = (key ^ key >> 29) * 0x9E3779B97F4A7C15u;
  return static_cast<size_t>(mixed >> 20) & (slots_.size() - 1);
}

void MergeTable::grow(size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (const Slot& s : old) {
    if (s.left < 0) continue;
    size_t i = start(s.left, s.right);
    while (slots_[i].left >= 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = s;
  }
}

void MergeTable::reserve(size_t count) {
  const size_t slots = std::bit_ceil(std::max<size_t>(2 * count, 16));
  if (slots > slots_.size()) grow(slots);
}

void MergeTable::add(TokenId left, TokenId right, Rule rule) {
  reserve(count_ + 1);
  size_t i = start(left, right);
  while (slots_[i].left >= 0) {
    if (slots_[i].left == left && slots_[i].right == right) return;
    i = (i + 1) & (slots_.size() - 1);
  }
  slots_[i] = {left, right, rule};
  ++count_;
}

const MergeTable::Rule* MergeTable::find(TokenId left, TokenId right) const noexcept {
  if (left < 0 || right < 0 || count_ == 0) return nullptr;
  for (size_t i = start(left, right); slots_[i].left >= 0; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].left == left && slots_[i].right == right) return &slots_[i].rule;
  }
  return nullptr;
}

void Merger::add(TokenId id, size_t begin) {
  const auto index = static_cast<int32_t>(symbols.size());
  if (index > 0) symbols.back().next = index;
  symbols.push_back({id, static_cast<int32_t>(begin), index - 1, -1});
}

void Merger::push(const MergeTable& table, int32_t left) {
  if (left < 0) return;
  const Symbol& a = symbols[static_cast<size_t>(left)];
  if (a.next < 0) return;
  const MergeTable::Rule* rule = table.find(a.id, symbols[static_cast<size_t>(a.next)].id);
  if (!rule) return;
  heap_.push_back(static_cast<uint64_t>(static_cast<uint32_t>(rule->rank)) << 32 | static_cast<uint32_t>(left));
  std::push_heap(heap_.begin(), heap_.end(), std::greater{});
}

void Merger::run(const MergeTable& table) {
  first_.clear();
  heap_.clear();
  for (size_t i = 0; i + 1 < symbols.size(); ++i) {
    if (const auto* rule = table.find(symbols[i].id, symbols[i + 1].id))
      first_.push_back(static_cast<uint64_t>(static_cast<uint32_t>(rule->rank)) << 32 | i);
  }
  std::sort(first_.begin(), first_.end());
  for (auto first = first_.begin(); first != first_.end() || !heap_.empty();) {
    Interruption::point(kWorkOfMerge);
    Candidate c;
    if (heap_.empty() || (first != first_.end() && *first < heap_.front())) {
      c = *first++;
    } else {
      c = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater{});
      heap_.pop_back();
    }
    const auto at = static_cast<int32_t>(c & 0xFFFFFFFFu);
    Symbol& left = symbols[static_cast<size_t>(at)];
    if (left.id < 0 || left.next < 0) continue;
    Symbol& right = symbols[static_cast<size_t>(left.next)];
    // One of the two may have merged elsewhere since; then the pair's rank is another one.
    const MergeTable::Rule* rule = table.find(left.id, right.id);
    if (!rule || static_cast<uint32_t>(rule->rank) != c >> 32) continue;
    left.id = rule->result;
    right.id = -1;  // candidates that begin here are stale
    left.next = right.next;
    if (right.next >= 0) symbols[static_cast<size_t>(right.next)].prev = at;
    push(table, left.prev);
    push(table, at);
  }
}

}  // namespace skald
