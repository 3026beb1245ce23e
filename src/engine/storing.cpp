#include "engine/storing.h"

#include <algorithm>

namespace skald {

void Storing::add(RequestId id, const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt) {
  all_.push_back({.id = id, .ns = ns, .prompt = {prompt.begin(), prompt.end()}});
}

void Storing::forget(RequestId id) noexcept {
  std::erase_if(all_, [id](const One& one) { return one.id == id; });
}

bool Storing::has_work() const {
  return std::ranges::any_of(all_, [](const One& one) { return !one.flushed || *one.flushed; });
}

std::optional<Storing::Stored> Storing::next() {
  for (auto one = all_.begin(); one != all_.end(); ++one) {
    if ((one->flushed && !*one->flushed) || !is_over(*one)) continue;
    const Stored out{one->id, stored(*one)};
    all_.erase(one);
    return out;
  }
  return {};
}

// Else the store is asked again: it also ends the wait where it falls silent.
bool Storing::is_over(One& one) {
  if (one.handed || disk_.is_down()) return true;
  one.handed = !write_back_.holds(one.ns, one.prompt);
  one.flushed = disk_.flush();
  return !one.flushed && one.handed;
}

StoredPrefix Storing::stored(const One& one) {
  const std::vector<Piece> pieces = disk_.find(one.ns.scope, one.prompt, 0);
  if (pieces.empty()) return {};
  const auto pages = static_cast<size_t>(pieces.back().page + 1);
  const PageKey& last = disk_.keys(one.ns.scope, one.prompt)[pages - 1];
  return {.name = hexadecimal(last), .tokens = static_cast<int64_t>(pages) * kPageKeys};
}

}  // namespace skald
