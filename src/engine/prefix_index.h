// PrefixIndex: pages of prompts that were computed, found again by their tokens: a tree per space whose nodes are pages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/conversations.h"
#include "engine/prefix_digest.h"
#include "kv/kept_pages.h"
#include "kv/sequence.h"
#include "skald/types.h"

namespace skald {

/// Of models whose windows or states forget, a hit ends only at a checkpoint: a place where all is kept that the next token
/// sees.
class PrefixIndex {
 public:
  /// Spaces share nothing.
  struct Namespace {
    std::string scope = {};
    bool generated = false;  // has keys of generated tokens too

    /// Returns which keys its sequences take over.
    ReusePolicy reuse() const { return {.keys = generated ? ReusePolicy::Keys::kAll : ReusePolicy::Keys::kPrompt}; }
    friend bool operator==(const Namespace&, const Namespace&) = default;
  };

  /// `cache` must outlive the index. `reports` gets the pages at which hits can end.
  explicit PrefixIndex(KvCache& cache, PrefixReports reports = {});
  ~PrefixIndex();
  PrefixIndex(const PrefixIndex&) = delete;
  PrefixIndex& operator=(const PrefixIndex&) = delete;

  /// Finds the first tokens whose pages are there, a multiple of kPageKeys. Changes nothing; take() may find fewer.
  int64_t find(const Namespace& ns, std::span<const TokenId> tokens) const;
  /// Gives a sequence that takes over the pages of the beginning of `tokens`.
  Past take(const Namespace& ns, std::span<const TokenId> tokens, const ReusePolicy& reuse = {});
  /// Keeps the full pages of the sequence's first tokens, which are `tokens`, and makes a checkpoint after the last one.
  /// Pages that are there already stay. Sequences from which keys were dropped leave nothing. `passing`: the checkpoint is
  /// on the way of a prompt; until a hit ends there, it is evicted before others (evict_some()). Throws where memory is
  /// short; pages kept by then can still be taken and given up. Returns whether the checkpoint is new.
  bool insert(const Namespace& ns, std::span<const TokenId> tokens, const KvSequence& kv, bool passing = false);
  /// A page that is there.
  struct Page {
    const SharedPages* pages;
    bool is_checkpoint;
  };
  /// Returns those of the tokens' beginning, in order; valid until something is put in or taken out.
  std::vector<Page> pages_of(const Namespace& ns, std::span<const TokenId> tokens) const;
  /// Gives up the pages of the tokens alone: from their end on, up to where others go on or are computing.
  void erase(const Namespace& ns, std::span<const TokenId> tokens);
  /// Marks the pages up to the end of `tokens` as used just now.
  void renew(const Namespace& ns, std::span<const TokenId> tokens);
  /// Removes the checkpoint after these tokens.
  void drop_checkpoint(const Namespace& ns, std::span<const TokenId> tokens);
  /// Evicts the least recently used of the pages with which no sequence computes: the last page of a prompt, or a checkpoint
  /// with its states. Passing checkpoints go first where they are a quarter of all or more. False where no page is
  /// evictable. Takes no memory.
  bool evict_some();
  /// Evicts until there is this much room, or nothing is left to evict.
  void make_room(const KvRoom& need);
  /// Returns the room that evict_some() can make free.
  KvRoom reclaimable() const;

  bool empty() const { return namespaces_.empty(); }
  int64_t pages() const { return pages_; }
  int64_t evictions() const { return evictions_; }  // pages, since it was made
  int64_t states() const { return states_; }

 private:
  using PageTokens = std::array<TokenId, kPageKeys>;
  struct Node;
  struct Victim {
    int64_t used;
    Node* node;
    auto operator<=>(const Victim&) const = default;
  };
  using Victims = std::set<Victim>;
  struct Node {
    Node* parent = nullptr;  // null: the root of a space, which is no page
    const PageTokens* tokens = nullptr;
    const std::string* ns = nullptr;
    Sha256Sum key = {};  // of the digest, where pages are reported
    KeptPages kept = {};
    std::map<PageTokens, std::unique_ptr<Node>> children = {};
    int64_t used = 0;                  // when last, as a page or, where sequences forget, as a checkpoint
    Victims::node_type unlisted = {};  // its place among the victims while it is none: listing it takes no memory
    int64_t checkpoints = 0;           // that need its pages of windows
    bool is_checkpoint = false;        // where sequences forget
    bool is_passing = false;           // a checkpoint on the way of a prompt, where no hit has ended

    int64_t end() const { return kept.pages().end; }
  };

  static std::string name_of(const Namespace& ns) { return prefix_space(ns.scope, ns.generated); }
  std::vector<Node*> path(const Namespace& ns, std::span<const TokenId> tokens) const;
  Node& root_of(const Namespace& ns);
  Node* grow(Node* parent, const PageTokens& tokens, const KvSequence& kv);
  static std::unique_ptr<Node> make_node();
  void list(Node& node);
  void unlist(Node& node);
  bool is_listed(const Node& node) const { return node.unlisted.empty(); }
  void touch(std::span<Node* const> path, int64_t hit);
  SharedPages share(const KvSequence& kv, int64_t first) const;
  void use(Node& node);
  void tell_new(const Node& node) const noexcept;
  void tell_gone(const Node& node) const noexcept;
  Victims& victims_of(const Node& node) { return node.is_passing ? passing_ : victims_; }
  Node* least_used(bool idle);
  bool makes_room(const Node& node) const;
  bool add_checkpoint(std::span<Node* const> path, const KvSequence& kv, bool passing);
  bool fill_windows(std::span<Node* const> needed, const KvSequence& kv);
  std::span<Node* const> needed(std::span<Node* const> path) const;
  int64_t sees_from(int64_t n) const;
  void drop_checkpoint(Node& node);
  void prune(Node* node);
  void remove(Node& node);
  int64_t states_reclaimable() const;
  void evict(Node& node);

  KvCache& cache_;
  PrefixReports reports_;
  bool forgets_ = false, windows_ = false, recurrent_;
  int64_t most_states_;
  std::unordered_map<std::string, std::unique_ptr<Node>> namespaces_;
  Victims victims_;  // leaves, or checkpoints
  Victims passing_;  // passing checkpoints
  int64_t now_ = 0, pages_ = 0, states_ = 0, evictions_ = 0;
};

}  // namespace skald
