#include "engine/conversations.h"

#include <algorithm>
#include <utility>

namespace skald {
namespace {

int64_t common(std::span<const TokenId> a, std::span<const TokenId> b) {
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

// Leaves the first n keys, or the fewer that may be taken, and forgets those beyond. False where the sequence cannot go back
// that far.
bool cut(Past& past, int64_t n, bool generated) {
  n = std::min(n, past.kv.length());
  if (!generated) n = std::min(n, past.exact);
  n = past.kv.nearest_end(n);
  if (n <= 0 || !past.kv.truncate(n)) return false;
  past.exact = std::min(past.exact, n);
  return true;
}

// Of marks in the order of their positions, the one that is nearest to the one before it.
template <class Marks>
auto nearest(Marks& marks) {
  auto out = marks.begin();
  int64_t before = 0, least = out->at.length();
  for (auto m = marks.begin(); m != marks.end(); before = m->at.length(), ++m)
    if (const int64_t gap = m->at.length() - before; gap < least) {
      least = gap;
      out = m;
    }
  return out;
}

}  // namespace

void Conversations::enter(ConversationId id, const std::string& scope) {
  if (const auto found = find(id); found != all_.end() && found->scope != scope) all_.erase(found);
  used(id).scope = scope;
}

std::optional<Past> Conversations::take(ConversationId id, std::span<const TokenId> prompt, bool generated) {
  if (find(id) == all_.end()) return {};
  Conversation& c = used(id);
  const std::span<const TokenId> wanted = prompt.first(prompt.size() - 1);
  std::optional<Past> past = std::exchange(c.past, {});
  if (past && cut(*past, common(wanted, c.tokens), generated)) return past;
  // The longest of those that can be gone back to.
  std::optional<Past> best;
  for (const Mark& m : c.marks) {
    const int64_t n = std::min(common(wanted, m.tokens), generated ? m.at.length() : m.exact);
    if (n <= (best ? best->kv.length() : 0)) continue;
    Past again{m.at.fork(), m.exact};
    if (cut(again, n, generated)) best = std::move(again);
  }
  return best;
}

// Marks of another text are of no use any more: the conversation has gone on without it.
void Conversations::mark(ConversationId id, const KvSequence& kv, int64_t exact, std::span<const TokenId> tokens) {
  Conversation& c = used(id);
  c.marks.remove_if([&](const Mark& m) {
    const int64_t n = std::ssize(m.tokens);
    return n >= std::ssize(tokens) || common(m.tokens, tokens) < n;
  });
  while (!c.marks.empty() && std::ssize(c.marks) >= most_marks_) c.marks.erase(nearest(c.marks));
  if (most_marks_ > 0) c.marks.push_back({kv.checkpoint(), exact, {tokens.begin(), tokens.end()}});
}

void Conversations::keep(ConversationId id, Past past, std::span<const TokenId> tokens) {
  const int64_t n = std::min(past.kv.length(), std::ssize(tokens));
  if (n == 0 || past.kv.dropped() || !past.kv.truncate(n)) return;
  std::vector<TokenId> kept(tokens.begin(), tokens.begin() + n);  // first: a past goes with its tokens
  Conversation& c = used(id);
  c.past.emplace(std::move(past));
  c.tokens = std::move(kept);
}

const Past* Conversations::past(ConversationId id, std::span<const TokenId> tokens) const {
  const auto found = std::ranges::find(all_, id, &Conversation::id);
  if (found == all_.end() || !found->past || common(tokens, found->tokens) < std::ssize(found->tokens)) return nullptr;
  return &*found->past;
}

void Conversations::forget(ConversationId id) {
  all_.remove_if([id](const Conversation& c) { return c.id == id; });
}

bool Conversations::give_up_some() {
  if (all_.empty()) return false;
  Conversation& oldest = all_.front();
  if (oldest.marks.empty())
    all_.pop_front();
  else
    oldest.marks.pop_front();
  return true;
}

// The conversation, a new one if need be, which is the last used one now.
Conversations::Conversation& Conversations::used(ConversationId id) {
  const auto found = find(id);
  if (found == all_.end())
    all_.push_back({.id = id});
  else
    all_.splice(all_.end(), all_, found);
  return all_.back();
}

}  // namespace skald
