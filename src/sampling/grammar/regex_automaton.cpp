// The derivatives of a RegexSet's expressions, and which of them have no text.
#include <algorithm>
#include <queue>
#include <unordered_map>

#include "base/error.h"
#include "sampling/grammar/json_escapes.h"
#include "sampling/grammar/regex_set.h"

namespace skald {

namespace {
constexpr size_t kMaxSearch = 200'000;               // states
constexpr uint64_t kRowWork = 64, kTargetWork = 16;  // of a row, and of each part's target in it, in known steps
}  // namespace

void RegexSet::add_work(uint64_t work) {
  if (work > work_left_) fail(Errc::kBadInput, "the grammar is too large: what may come next takes too long to find");
  work_left_ -= work;
}

uint32_t RegexSet::concat_row(RegexId a) {
  Ids heads, tails;
  std::vector<RegexRows::Id> partitions;
  RegexId at = a;
  for (bool reached = true; reached;) {
    const bool more = nodes_[at].kind == RegexKind::kConcat;
    heads.push_back(more ? nodes_[at].a : at);
    tails.push_back(more ? nodes_[at].b : kEmpty);
    partitions.push_back(rows_.partition_of(raw_row(heads.back())));
    reached = more && nullable(heads.back());
    at = tails.back();
  }
  const RegexRows::Id partition = rows_.common(partitions);
  const BytePartition classes = rows_.partition(partition);
  add_work(kTargetWork * classes.count * heads.size());
  Ids targets;
  for (size_t c = 0; c < classes.count; ++c) {
    Ids parts;
    for (size_t i = 0; i < heads.size(); ++i) parts.push_back(join(raw_derivative(heads[i], classes.first[c]), tails[i]));
    targets.push_back(choice(std::move(parts)));
  }
  return rows_.add(partition, targets);
}

uint32_t RegexSet::list_row(RegexId a) {
  const Ids parts(nodes_.list(a).begin(), nodes_.list(a).end());
  std::vector<uint32_t> part_rows;
  std::vector<RegexRows::Id> partitions;
  for (const RegexId part : parts) {
    part_rows.push_back(raw_row(part));
    partitions.push_back(rows_.partition_of(part_rows.back()));
  }
  const RegexRows::Id partition = rows_.common(partitions);
  const BytePartition classes = rows_.partition(partition);
  add_work(kTargetWork * classes.count * parts.size());
  const bool any = nodes_[a].kind == RegexKind::kAnyOf;
  Ids targets;
  for (size_t c = 0; c < classes.count; ++c) {
    Ids to;
    RegexId all = kAnything;
    for (const uint32_t row : part_rows) {
      const RegexId target = rows_.target(row, classes.first[c]);
      if (any && target != kNothing) to.push_back(target);
      if (!any) all = both(all, target);
    }
    targets.push_back(any ? choice(std::move(to)) : all);
  }
  return rows_.add(partition, targets);
}

// Each digit makes the remainder of ten times the number and itself.
uint32_t RegexSet::multiple_row(uint32_t modulus, uint32_t remainder) {
  ByteSet skipped = ByteSet::one('-');
  skipped.add('.');
  std::vector<RegexRows::Id> partitions{rows_.partition(skipped)};
  for (uint8_t digit = '0'; digit <= '9'; ++digit) partitions.push_back(rows_.partition(ByteSet::one(digit)));
  const RegexRows::Id partition = rows_.common(partitions);
  const BytePartition classes = rows_.partition(partition);
  Ids targets;
  for (size_t c = 0; c < classes.count; ++c) {
    const uint8_t byte = classes.first[c];
    if (byte >= '0' && byte <= '9') {
      const uint64_t next = (uint64_t{remainder} * 10 + (byte - '0')) % modulus;
      targets.push_back(nodes_.multiple(modulus, static_cast<uint32_t>(next)));
    } else {
      targets.push_back(skipped.has(byte) ? nodes_.multiple(modulus, remainder) : kNothing);
    }
  }
  return rows_.add(partition, targets);
}

// A byte leads to where the bytes of its escape lead in `a`.
uint32_t RegexSet::unescaped_row(RegexId a) {
  std::vector<RegexRows::Id> partitions{rows_.partition_of(raw_row(a))};
  for (unsigned b = 0; b < 256; ++b) {
    if (!json_escape(b).empty()) partitions.push_back(rows_.partition(ByteSet::one(static_cast<uint8_t>(b))));
  }
  const RegexRows::Id partition = rows_.common(partitions);
  const BytePartition classes = rows_.partition(partition);
  Ids targets;
  for (size_t c = 0; c < classes.count; ++c) {
    RegexId to = a;
    const std::string escape = json_escape(classes.first[c]);
    for (const char byte : escape) to = raw_derivative(to, static_cast<uint8_t>(byte));
    targets.push_back(unescaped(escape.empty() ? raw_derivative(to, classes.first[c]) : to));
  }
  return rows_.add(partition, targets);
}

uint32_t RegexSet::raw_row(RegexId a) {
  const RegexNode node = nodes_[a];
  if (node.row != RegexNode::kNoRow) return node.row;
  check_memory(0);
  add_work(kRowWork);
  uint32_t row = 0;
  switch (node.kind) {
    case RegexKind::kNothing:
    case RegexKind::kEmpty:
      row = rows_.add(rows_.trivial(), Ids{kNothing});
      break;
    case RegexKind::kAnything:
      row = rows_.add(rows_.trivial(), Ids{kAnything});
      break;
    case RegexKind::kBytes: {
      const ByteSet set = nodes_.set(a);
      const RegexRows::Id partition = rows_.partition(set);
      Ids targets{set.has(0) ? kEmpty : kNothing, set.has(0) ? kNothing : kEmpty};
      row = rows_.add(partition, std::span(targets).first(rows_.partition(partition).count));
      break;
    }
    case RegexKind::kText: {
      const auto byte = static_cast<uint8_t>(nodes_.text(a)[0]);
      const RegexId rest =
          nodes_.text(a).size() > 2 ? nodes_.text_behind_first(a) : literal(std::string(1, nodes_.text(a)[1]));
      row = rows_.add(rows_.partition(ByteSet::one(byte)), byte == 0 ? Ids{rest, kNothing} : Ids{kNothing, rest});
      break;
    }
    case RegexKind::kConcat:
      row = concat_row(a);
      break;
    case RegexKind::kMultiple:
      row = multiple_row(node.a, node.b);
      break;
    case RegexKind::kUnescaped:
      row = unescaped_row(node.a);
      break;
    case RegexKind::kAnyOf:
    case RegexKind::kBoth:
      row = list_row(a);
      break;
    case RegexKind::kNot: {
      const uint32_t of = raw_row(node.a);
      Ids targets(rows_.targets(of).begin(), rows_.targets(of).end());
      for (RegexId& target : targets) target = complement(target);
      row = rows_.add(rows_.partition_of(of), targets);
      break;
    }
    case RegexKind::kRepeat: {
      const uint32_t of = raw_row(node.a);
      const uint32_t max = node.max == RegexNode::kNoMax ? node.max : node.max - 1;
      const RegexId rest = repeat_simplified(node.a, node.min > 0 ? node.min - 1 : 0, max);
      Ids targets(rows_.targets(of).begin(), rows_.targets(of).end());
      for (RegexId& target : targets) target = join(target, rest);
      row = rows_.add(rows_.partition_of(of), targets);
      break;
    }
  }
  nodes_.set_row(a, row);
  return row;
}

uint32_t RegexSet::pruned_row(RegexId a) {
  const uint32_t row = raw_row(a);
  if (rows_.pruned(row)) return row;
  for (size_t i = 0; i < rows_.targets(row).size(); ++i) {
    const RegexId target = rows_.targets(row)[i];
    if (nodes_[target].hidden && is_nothing(target)) rows_.targets(row)[i] = kNothing;
  }
  rows_.set_pruned(row);
  return row;
}

uint32_t RegexSet::common_partition(std::span<const RegexId> ids) {
  std::vector<RegexRows::Id> partitions;
  for (const RegexId id : ids) partitions.push_back(rows_.partition_of(pruned_row(id)));
  std::ranges::sort(partitions);
  return rows_.common(partitions);
}

bool RegexSet::is_nothing(RegexId a) {
  using Life = RegexNode::Life;
  if (nodes_[a].life != Life::kUnknown) return nodes_[a].life == Life::kDead;
  bool dead = false;
  switch (nodes_[a].kind) {
    case RegexKind::kConcat: {
      RegexId at = a;
      for (; !dead && nodes_[at].kind == RegexKind::kConcat; at = nodes_[at].b) dead = is_nothing(nodes_[at].a);
      dead = dead || is_nothing(at);
      break;
    }
    case RegexKind::kAnyOf: {
      const Ids parts(nodes_.list(a).begin(), nodes_.list(a).end());
      dead = std::ranges::all_of(parts, [&](RegexId part) { return is_nothing(part); });
      break;
    }
    case RegexKind::kRepeat:
      dead = is_nothing(nodes_[a].a);
      break;
    default:
      dead = search_is_nothing(a);
  }
  nodes_.set_life(a, dead ? Life::kDead : Life::kAlive);
  return dead;
}

// Best first, by how short a text may still be: what accepts at all is mostly found on the straight way.
bool RegexSet::search_is_nothing(RegexId a) {
  using Life = RegexNode::Life;
  struct Open {
    uint32_t least;
    RegexId id;
    bool operator<(const Open& other) const { return least != other.least ? least > other.least : id > other.id; }
  };
  std::unordered_map<RegexId, RegexId> from{{a, a}};
  std::priority_queue<Open> open;
  open.push({nodes_[a].least, a});
  while (!open.empty()) {
    const RegexId at = open.top().id;
    open.pop();
    const uint32_t row = raw_row(at);
    for (size_t i = 0; i < rows_.targets(row).size(); ++i) {
      const RegexId target = rows_.targets(row)[i];
      const RegexNode& node = nodes_[target];
      if (node.life == Life::kAlive) {
        for (RegexId back = at; back != a; back = from[back]) nodes_.set_life(back, Life::kAlive);
        return false;
      }
      if (node.life == Life::kDead || !from.emplace(target, at).second) continue;
      if (from.size() > kMaxSearch)
        fail(Errc::kBadInput, "the grammar is too large: whether a text fits takes too long to find");
      open.push({node.least, target});
    }
  }
  for (const auto& [id, parent] : from) nodes_.set_life(id, Life::kDead);
  return true;
}

bool RegexSet::matches(RegexId a, std::string_view text) {
  for (const char c : text) {
    a = raw_derivative(a, static_cast<uint8_t>(c));
    if (a == kNothing) return false;
  }
  return nullable(a);
}

}  // namespace skald
