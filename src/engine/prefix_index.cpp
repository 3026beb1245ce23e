#include "engine/prefix_index.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"

namespace skald {
namespace {

template <class Tokens>
Tokens page_at(std::span<const TokenId> tokens, int64_t page) {
  Tokens out;
  std::copy_n(tokens.begin() + page * kPageKeys, kPageKeys, out.begin());
  return out;
}

int64_t full_pages(int64_t n) { return n / kPageKeys; }

}  // namespace

PrefixIndex::PrefixIndex(KvCache& cache, PrefixReports reports)
    : cache_(cache),
      reports_(std::move(reports)),
      recurrent_(cache.spec().recurrent_floats > 0),
      most_states_(cache.most_checkpoints()) {
  windows_ = std::ranges::any_of(cache.spec().groups, [](const KvGroup& g) { return g.window > 0; });
  forgets_ = windows_ || recurrent_;
}

// From its leaves on: a tree is as deep as a prompt has pages.
PrefixIndex::~PrefixIndex() {
  while (Node* node = least_used(false)) evict(*node);
}

std::vector<PrefixIndex::Node*> PrefixIndex::path(const Namespace& ns, std::span<const TokenId> tokens) const {
  std::vector<Node*> out;
  const auto root = namespaces_.find(name_of(ns));
  if (root == namespaces_.end()) return out;
  const Node* at = root->second.get();
  for (int64_t page = 0; page < full_pages(std::ssize(tokens)); ++page) {
    const auto child = at->children.find(page_at<PageTokens>(tokens, page));
    if (child == at->children.end()) break;
    at = out.emplace_back(child->second.get());
  }
  return out;
}

int64_t PrefixIndex::find(const Namespace& ns, std::span<const TokenId> tokens) const {
  return std::ssize(path(ns, tokens)) * kPageKeys;
}

std::vector<PrefixIndex::Page> PrefixIndex::pages_of(const Namespace& ns, std::span<const TokenId> tokens) const {
  std::vector<Page> out;
  for (const Node* node : path(ns, tokens)) out.push_back({&node->kept.pages(), node->is_checkpoint});
  return out;
}

void PrefixIndex::erase(const Namespace& ns, std::span<const TokenId> tokens) {
  for (std::vector<Node*> nodes = path(ns, tokens); !nodes.empty();
       nodes = path(ns, tokens.first(nodes.size() * kPageKeys))) {
    Node& last = *nodes.back();
    if (!last.children.empty() || last.kept.used()) return;
    evict(last);
    nodes.pop_back();
  }
}

Past PrefixIndex::take(const Namespace& ns, std::span<const TokenId> tokens, const ReusePolicy& reuse) {
  KvSequence fresh(cache_);
  const std::vector<Node*> nodes = path(ns, tokens);
  std::vector<SharedPages> pages;
  pages.reserve(nodes.size());
  for (const Node* node : nodes) pages.push_back(node->kept.pages());
  const int64_t hit = fresh.adopt(pages, std::ssize(nodes) * kPageKeys, reuse);
  touch(nodes, hit);
  int64_t exact = hit;
  for (size_t i = 0; i < nodes.size() && pages[i].first < exact; ++i)
    for (const SharedPages::Group& group : pages[i].groups)
      for (const PageRef& page : group.pages)
        if (const int64_t n = page ? ReusePolicy{}.taken(page.origin(), kPageKeys) : kPageKeys; n < kPageKeys)
          exact = std::min(exact, pages[i].first + n);
  return {std::move(fresh), exact};
}

void PrefixIndex::tell_new(const Node& node) const noexcept {
  if (reports_.to) reports_.to->add(*node.ns, node.key, node.end() / kPageKeys);
}

void PrefixIndex::tell_gone(const Node& node) const noexcept {
  if (reports_.to) reports_.to->remove(*node.ns, node.key);
}

// Marks the pages of a hit that ends at `hit` as used.
void PrefixIndex::touch(std::span<Node* const> path, int64_t hit) {
  ++now_;
  for (Node* node : path)
    if (forgets_ ? node->is_checkpoint && node->end() == hit : node->end() <= hit) use(*node);
}

void PrefixIndex::use(Node& node) {
  const bool listed = is_listed(node);
  if (listed) unlist(node);
  node.used = now_;
  node.is_passing = false;
  if (listed) list(node);
}

void PrefixIndex::list(Node& node) {
  node.unlisted.value() = {node.used, &node};
  victims_of(node).insert(std::move(node.unlisted));
}

void PrefixIndex::unlist(Node& node) { node.unlisted = victims_of(node).extract({node.used, &node}); }

std::unique_ptr<PrefixIndex::Node> PrefixIndex::make_node() {
  auto node = std::make_unique<Node>();
  Victims place;
  node->unlisted = place.extract(place.insert({0, node.get()}).first);
  return node;
}

bool PrefixIndex::insert(const Namespace& ns, std::span<const TokenId> tokens, const KvSequence& kv, bool passing) {
  const int64_t n = full_pages(std::min(std::ssize(tokens), kv.length()));
  if (n == 0 || kv.dropped() || kv.prefix() || (recurrent_ && most_states_ == 0) ||
      (cache_.spec().shares_whole() && kv.length() != n * kPageKeys))
    return false;
  std::vector<Node*> nodes;
  nodes.reserve(static_cast<size_t>(n));
  Node* at = &root_of(ns);
  try {
    for (int64_t page = 0; page < n; ++page) nodes.push_back(at = grow(at, page_at<PageTokens>(tokens, page), kv));
    ++now_;
    if (forgets_) return add_checkpoint(nodes, kv, passing);
  } catch (...) {
    if (forgets_ || !at->parent) prune(at);
    throw;
  }
  for (Node* node : nodes) use(*node);
  return false;
}

PrefixIndex::Node& PrefixIndex::root_of(const Namespace& ns) {
  const std::string name = name_of(ns);
  if (const auto found = namespaces_.find(name); found != namespaces_.end()) return *found->second;
  auto made = make_node();
  if (reports_.to) made->key = digest_root(reports_.model, name);
  const auto root = namespaces_.emplace(name, std::move(made)).first;
  root->second->ns = &root->first;
  return *root->second;
}

PrefixIndex::Node* PrefixIndex::grow(Node* parent, const PageTokens& tokens, const KvSequence& kv) {
  if (const auto found = parent->children.find(tokens); found != parent->children.end()) return found->second.get();
  auto made = make_node();
  made->parent = parent;
  made->ns = parent->ns;
  if (reports_.to) made->key = digest_key(parent->key, tokens);
  made->kept = KeptPages(share(kv, parent->parent ? parent->end() : 0));
  made->used = now_;
  const auto child = parent->children.emplace(tokens, std::move(made)).first;
  Node& node = *child->second;
  node.tokens = &child->first;
  ++pages_;
  if (forgets_) return &node;
  if (is_listed(*parent)) unlist(*parent);
  list(node);
  tell_new(node);
  return &node;
}

// A page without the states that only checkpoints need.
SharedPages PrefixIndex::share(const KvSequence& kv, int64_t first) const {
  SharedPages pages = kv.share(first, first + kPageKeys);
  pages.recurrent = {};
  for (size_t g = 0; g < pages.groups.size(); ++g)
    if (cache_.spec().groups[g].window && first >= cache_.limits().sinks) pages.groups[g] = {.pages = {PageRef()}};
  return pages;
}

// Where the next token of n begins to look, in layers with windows.
int64_t PrefixIndex::sees_from(int64_t n) const {
  int64_t from = n;
  for (const KvGroup& g : cache_.spec().groups)
    if (g.window) from = std::min(from, n + 1 - g.window);
  return std::max<int64_t>(from, 0);
}

// Of the path to a checkpoint, the nodes whose pages of windows it needs.
std::span<PrefixIndex::Node* const> PrefixIndex::needed(std::span<Node* const> path) const {
  return path.subspan(static_cast<size_t>(sees_from(path.back()->end()) / kPageKeys));
}

// A checkpoint that is there stays, with its states.
bool PrefixIndex::add_checkpoint(std::span<Node* const> path, const KvSequence& kv, bool passing) {
  Node& end = *path.back();
  if (end.is_checkpoint) {
    if (!passing) use(end);
    return false;
  }
  const std::span<Node* const> seen = windows_ ? needed(path) : std::span<Node* const>();
  RecurrentPool::Block state = recurrent_ ? kv.share(end.end(), end.end()).recurrent : nullptr;
  if ((recurrent_ && !state) || !fill_windows(seen, kv)) {
    prune(&end);
    return false;
  }
  end.is_checkpoint = true;
  tell_new(end);
  end.is_passing = passing;
  end.used = now_;
  for (Node* node : seen) ++node->checkpoints;
  list(end);
  if (!recurrent_) return true;
  end.kept.set_state(std::move(state));
  if (++states_ > most_states_) evict(*least_used(false));
  return true;
}

// Pages of windows come from the sequence, as far as it has them.
bool PrefixIndex::fill_windows(std::span<Node* const> needed, const KvSequence& kv) {
  for (Node* node : needed) {
    const SharedPages& have = node->kept.pages();
    std::optional<SharedPages> from;
    for (size_t g = 0; g < have.groups.size(); ++g) {
      if (have.groups[g].pages[0]) continue;
      if (!from) from = kv.share(have.first, have.end);
      if (!from->groups[g].pages[0]) return false;
      node->kept.set_group(g, std::move(from->groups[g]));
    }
  }
  return true;
}

void PrefixIndex::renew(const Namespace& ns, std::span<const TokenId> tokens) {
  const std::vector<Node*> nodes = path(ns, tokens);
  const auto last =
      std::ranges::find_if(nodes.rbegin(), nodes.rend(), [&](Node* n) { return !forgets_ || n->is_checkpoint; });
  if (last != nodes.rend()) touch(nodes, (*last)->end());
}

void PrefixIndex::drop_checkpoint(const Namespace& ns, std::span<const TokenId> tokens) {
  const std::vector<Node*> nodes = path(ns, tokens);
  if (nodes.empty() || std::ssize(nodes) != full_pages(std::ssize(tokens)) || !nodes.back()->is_checkpoint) return;
  drop_checkpoint(*nodes.back());
  prune(nodes.back());
}

// Pages of windows that no checkpoint needs go, but for sinks.
void PrefixIndex::drop_checkpoint(Node& node) {
  unlist(node);
  tell_gone(node);
  node.is_checkpoint = node.is_passing = false;
  if (recurrent_) {
    node.kept.set_state({});
    --states_;
  }
  const std::vector<KvGroup>& groups = cache_.spec().groups;
  const int64_t from = windows_ ? sees_from(node.end()) : node.end();
  for (Node* at = &node; at->parent && at->end() > from; at = at->parent) {
    if (--at->checkpoints > 0 || at->kept.pages().first < cache_.limits().sinks) continue;
    for (size_t g = 0; g < groups.size(); ++g)
      if (groups[g].window) at->kept.drop_group(g);
  }
}

// Where sequences forget, pages that lead to no checkpoint are of no use.
void PrefixIndex::prune(Node* node) {
  while (node->parent && node->children.empty() && !node->is_checkpoint) {
    Node* const parent = node->parent;
    remove(*node);
    node = parent;
  }
  if (!node->parent && node->children.empty()) namespaces_.erase(*node->ns);
}

void PrefixIndex::remove(Node& node) {
  --pages_;
  node.parent->children.erase(*node.tokens);
}

void PrefixIndex::evict(Node& node) {
  if (forgets_) {
    const int64_t before = pages_;
    drop_checkpoint(node);
    prune(&node);
    evictions_ += std::max<int64_t>(1, before - pages_);
    return;
  }
  ++evictions_;
  Node* const parent = node.parent;
  unlist(node);
  tell_gone(node);
  remove(node);
  if (!parent->children.empty()) return;
  if (parent->parent)
    list(*parent);
  else
    namespaces_.erase(*parent->ns);
}

bool PrefixIndex::evict_some() {
  Node* node = least_used(true);
  // Kept pages may lie before pages in use: two requests computed the same.
  if (!node && (cache_.keeps_any() || states_reclaimable() > 0)) node = least_used(false);
  if (node) evict(*node);
  return node != nullptr;
}

// A long prompt has many passing checkpoints: without a limit they would evict the ends of all other prompts. Without any
// place for them, a beginning that later prompts share would never be found where old ends fill the cache.
PrefixIndex::Node* PrefixIndex::least_used(bool idle) {
  constexpr size_t kPassingShare = 4;
  const auto first_of = [&](const Victims& of) {
    const auto found = std::ranges::find_if(of, [&](const Victim& v) { return !idle || makes_room(*v.node); });
    return found == of.end() ? nullptr : found->node;
  };
  Node* const passing = first_of(passing_);
  Node* const other = first_of(victims_);
  if (!passing || !other) return passing ? passing : other;
  const bool many = passing_.size() * kPassingShare >= passing_.size() + victims_.size();
  return many || passing->used < other->used ? passing : other;
}

// A prompt that is being read uses all its pages of full attention, and of windows the last ones alone.
bool PrefixIndex::makes_room(const Node& node) const {
  if (!node.kept.used()) return true;
  const std::vector<SharedPages::Group>& groups = node.kept.pages().groups;
  for (size_t g = 0; g < groups.size(); ++g)
    if (const PageRef& page = groups[g].pages[0]; cache_.spec().groups[g].window && page && !page.used()) return true;
  return false;
}

void PrefixIndex::make_room(const KvRoom& need) {
  while (!cache_.room().covers(need) && evict_some()) {
  }
}

KvRoom PrefixIndex::reclaimable() const {
  KvRoom room = cache_.kept();
  room.counts.push_back(states_reclaimable());
  return room;
}

int64_t PrefixIndex::states_reclaimable() const {
  if (!recurrent_) return 0;
  const auto is_idle = [](const Victim& v) { return v.node->kept.pages().recurrent.use_count() == 1; };
  return std::ranges::count_if(victims_, is_idle) + std::ranges::count_if(passing_, is_idle);
}

}  // namespace skald
