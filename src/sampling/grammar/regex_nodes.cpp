#include "sampling/grammar/regex_nodes.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

namespace {

constexpr uint32_t kMaxNodeDepth = 2000;
constexpr size_t kMaxNodeMemory = size_t{256} << 20;
constexpr uint64_t kBase = 0x9E3779B97F4A7C15u;

uint64_t mixed(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0xBF58476D1CE4E5B9u;
  return h ^ h >> 29;
}

uint32_t sum(uint32_t a, uint32_t b) { return a > ~b ? ~uint32_t{0} : a + b; }

uint32_t product(uint32_t a, uint32_t b) {
  const uint64_t wide = uint64_t{a} * b;
  return wide > ~uint32_t{0} ? ~uint32_t{0} : static_cast<uint32_t>(wide);
}

}  // namespace

RegexNodes::RegexNodes() : table_(256) {
  using Life = RegexNode::Life;
  nodes_.push_back({.kind = RegexKind::kNothing, .life = Life::kDead, .least = ~uint32_t{0}});
  nodes_.push_back({.kind = RegexKind::kEmpty, .nullable = true});
  nodes_.push_back({.kind = RegexKind::kAnything, .nullable = true});
}

size_t RegexNodes::memory() const {
  return nodes_.capacity() * sizeof(RegexNode) + table_.capacity() * sizeof(uint32_t) + lists_.capacity() * sizeof(RegexId) +
         sets_.capacity() * sizeof(ByteSet) + chars_.capacity() * (1 + 2 * sizeof(uint64_t));
}

void RegexNodes::check_memory(size_t others) const {
  if (memory() + others > kMaxNodeMemory) {
    fail(Errc::kBadInput, "the grammar is too large: it takes more than {} MiB", kMaxNodeMemory >> 20);
  }
}

uint64_t RegexNodes::text_hash(uint32_t begin, uint32_t end) const {
  return prefix_hash_[end] - prefix_hash_[begin] * power_[end - begin];
}

uint64_t RegexNodes::hash_of(const RegexNode& node) const {
  uint64_t h = mixed(kBase, static_cast<uint64_t>(node.kind));
  switch (node.kind) {
    case RegexKind::kBytes:
      return mixed(h, sets_[node.a].hash());
    case RegexKind::kText:
      return mixed(mixed(h, node.b - node.a), text_hash(node.a, node.b));
    case RegexKind::kAnyOf:
    case RegexKind::kBoth:
      for (uint32_t i = node.a; i < node.b; ++i) h = mixed(h, lists_[i]);
      return h;
    default:
      return mixed(mixed(h, uint64_t{node.a} << 32 | node.b), uint64_t{node.min} << 32 | node.max);
  }
}

bool RegexNodes::same(const RegexNode& x, RegexId id) const {
  const RegexNode& y = nodes_[id];
  if (x.kind != y.kind) return false;
  switch (x.kind) {
    case RegexKind::kBytes:
      return sets_[x.a] == sets_[y.a];
    case RegexKind::kText:
      return x.b - x.a == y.b - y.a && std::equal(chars_.begin() + x.a, chars_.begin() + x.b, chars_.begin() + y.a);
    case RegexKind::kAnyOf:
    case RegexKind::kBoth:
      return x.b - x.a == y.b - y.a && std::equal(lists_.begin() + x.a, lists_.begin() + x.b, lists_.begin() + y.a);
    default:
      return x.a == y.a && x.b == y.b && x.min == y.min && x.max == y.max;
  }
}

RegexId RegexNodes::find(const RegexNode& node, uint64_t hash) {
  limit_.check();
  for (size_t at = hash & (table_.size() - 1); table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
    if (same(node, table_[at] - 1)) return table_[at] - 1;
  }
  return 0;
}

void RegexNodes::grow_table() {
  table_.assign(table_.size() * 2, 0);
  for (RegexId id = 3; id < nodes_.size(); ++id) {
    size_t at = hash_of(nodes_[id]) & (table_.size() - 1);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = id + 1;
  }
}

RegexId RegexNodes::add(RegexNode node, uint64_t hash) {
  if (node.depth > kMaxNodeDepth) fail(Errc::kBadInput, "the grammar is too large: nested deeper than {}", kMaxNodeDepth);
  if (nodes_.size() % 4096 == 0) check_memory(0);
  if (node.hidden) node.life = node.nullable ? RegexNode::Life::kAlive : RegexNode::Life::kUnknown;
  nodes_.push_back(node);
  const auto id = static_cast<RegexId>(nodes_.size() - 1);
  if (nodes_.size() * 2 > table_.size()) {
    grow_table();
  } else {
    size_t at = hash & (table_.size() - 1);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = id + 1;
  }
  return id;
}

RegexId RegexNodes::find_or_add(const RegexNode& node) {
  const uint64_t hash = hash_of(node);
  const RegexId known = find(node, hash);
  return known != 0 ? known : add(node, hash);
}

RegexId RegexNodes::bytes(const ByteSet& set) {
  sets_.push_back(set);
  const RegexNode node{.kind = RegexKind::kBytes, .depth = 1, .a = static_cast<uint32_t>(sets_.size() - 1), .least = 1};
  const uint64_t hash = hash_of(node);
  const RegexId known = find(node, hash);
  if (known == 0) return add(node, hash);
  sets_.pop_back();
  return known;
}

RegexId RegexNodes::text(std::string_view text) {
  if (chars_.size() + text.size() > kMaxNodeMemory / 17)
    fail(Errc::kBadInput, "the grammar is too large: too much literal text");
  const auto begin = static_cast<uint32_t>(chars_.size());
  chars_ += text;
  for (const char c : text) prefix_hash_.push_back(prefix_hash_.back() * kBase + static_cast<uint8_t>(c) + 1);
  while (power_.size() <= text.size()) power_.push_back(power_.back() * kBase);
  const auto length = static_cast<uint32_t>(text.size());
  const RegexNode node{.kind = RegexKind::kText, .depth = 1, .a = begin, .b = begin + length, .least = length};
  const uint64_t hash = hash_of(node);
  const RegexId known = find(node, hash);
  if (known == 0) return add(node, hash);
  chars_.resize(begin);
  prefix_hash_.resize(begin + 1);
  return known;
}

RegexId RegexNodes::text_behind_first(RegexId text) {
  RegexNode node = nodes_[text];
  ++node.a;
  --node.least;
  node.row = RegexNode::kNoRow;
  return find_or_add(node);
}

RegexId RegexNodes::concat(RegexId first, RegexId rest) {
  const RegexNode &x = nodes_[first], &y = nodes_[rest];
  // Derivatives go along a chain of optional parts by a loop.
  const uint32_t after = !x.nullable ? 0 : y.kind == RegexKind::kConcat ? y.depth : y.depth + 1;
  return find_or_add({.kind = RegexKind::kConcat,
                      .nullable = x.nullable && y.nullable,
                      .hidden = x.hidden || y.hidden,
                      .depth = std::max(x.depth + 1, after),
                      .a = first,
                      .b = rest,
                      .least = sum(x.least, y.least)});
}

RegexId RegexNodes::list(RegexKind kind, std::span<const RegexId> sorted) {
  const bool any = kind == RegexKind::kAnyOf;
  RegexNode node{.kind = kind, .nullable = !any, .hidden = !any, .least = any ? ~uint32_t{0} : 0};
  for (const RegexId id : sorted) {
    const RegexNode& x = nodes_[id];
    node.nullable = any ? node.nullable || x.nullable : node.nullable && x.nullable;
    node.hidden = node.hidden || x.hidden;
    node.depth = std::max(node.depth, x.depth + 1);
    node.least = any ? std::min(node.least, x.least) : std::max(node.least, x.least);
  }
  node.a = static_cast<uint32_t>(lists_.size());
  lists_.insert(lists_.end(), sorted.begin(), sorted.end());
  node.b = static_cast<uint32_t>(lists_.size());
  const uint64_t hash = hash_of(node);
  const RegexId known = find(node, hash);
  if (known == 0) {
    if (sorted.size() > 4096) check_memory(0);
    return add(node, hash);
  }
  lists_.resize(node.a);
  return known;
}

RegexId RegexNodes::complement(RegexId a) {
  const RegexNode& x = nodes_[a];
  return find_or_add({.kind = RegexKind::kNot,
                      .nullable = !x.nullable,
                      .hidden = true,
                      .depth = x.depth + 1,
                      .a = a,
                      .least = x.nullable ? 1u : 0u});
}

RegexId RegexNodes::repeat(RegexId a, uint32_t min, uint32_t max) {
  const RegexNode& x = nodes_[a];
  return find_or_add({.kind = RegexKind::kRepeat,
                      .nullable = min == 0 || x.nullable,
                      .hidden = x.hidden,
                      .depth = x.depth + 1,
                      .a = a,
                      .min = min,
                      .max = max,
                      .least = product(x.least, min)});
}

RegexId RegexNodes::multiple(uint32_t modulus, uint32_t remainder) {
  return find_or_add({.kind = RegexKind::kMultiple,
                      .nullable = remainder == 0,
                      .depth = 1,
                      .a = modulus,
                      .b = remainder,
                      .least = remainder == 0 ? 0u : 1u});
}

RegexId RegexNodes::unescaped(RegexId a) {
  constexpr uint32_t kLongest = 6;  // \u0000
  const RegexNode& x = nodes_[a];
  return find_or_add({.kind = RegexKind::kUnescaped,
                      .nullable = x.nullable,
                      .hidden = true,
                      .depth = x.depth + 1,
                      .a = a,
                      .least = x.least / kLongest + (x.least % kLongest != 0)});
}

}  // namespace skald
