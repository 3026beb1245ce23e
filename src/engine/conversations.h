// Conversations: the sequences of requests, kept for the next one whose prompt begins alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "kv/sequence.h"
#include "skald/engine.h"

namespace skald {

/// The beginning of a branch: keys of the first kv.length() tokens of its prompt.
struct Past {
  KvSequence kv;
  int64_t exact = 0;  // the first `exact` keys were made as parts of prompts; later ones may be generated rows
};

class Conversations {
 public:
  /// `most_marks`: of each.
  explicit Conversations(int64_t most_marks) : most_marks_(most_marks) {}

  /// Forgets the conversation's keys of another scope (Request::scope, with its adapters).
  void enter(ConversationId id, const std::string& scope);
  /// Takes out the conversation's keys of the beginning of `prompt`, less its last token, whose logits are wanted. With
  /// `generated` false only keys that were made as parts of prompts. Nothing where no key is left.
  std::optional<Past> take(ConversationId id, std::span<const TokenId> prompt, bool generated);
  /// Remembers the sequence of `tokens` as it is now, to go back to where truncating does not lead. Of too many marks, the
  /// one goes that lies nearest to the one before it.
  void mark(ConversationId id, const KvSequence& kv, int64_t exact, std::span<const TokenId> tokens);
  /// Keeps the past of `tokens`, as far as they have keys.
  void keep(ConversationId id, Past past, std::span<const TokenId> tokens);
  void forget(ConversationId id);
  /// Gives some of it back, of the conversation that was used least recently. False when there is nothing.
  bool give_up_some();

  /// Returns the past that is kept for a conversation, of the beginning of `tokens`; null where it is of another text.
  const Past* past(ConversationId id, std::span<const TokenId> tokens) const;

  bool empty() const { return all_.empty(); }

 private:
  struct Mark {
    KvCheckpoint at;
    int64_t exact;
    std::vector<TokenId> tokens;
  };
  struct Conversation {
    ConversationId id;
    std::string scope = {};
    std::optional<Past> past = {};
    std::vector<TokenId> tokens = {};  // of the past
    std::list<Mark> marks = {};        // the newest last
  };
  std::list<Conversation>::iterator find(ConversationId id) { return std::ranges::find(all_, id, &Conversation::id); }
  Conversation& used(ConversationId id);

  int64_t most_marks_;
  std::list<Conversation> all_;  // the last used one last
};

}  // namespace skald
