// How expressions are brought to their common form.
#include "sampling/grammar/regex_set.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/error.h"

namespace skald {

namespace {

constexpr uint32_t kNoMax = RegexNode::kNoMax;
constexpr uint32_t kMaxCount = 1u << 31;  // no text is as long

uint32_t added(uint32_t a, uint32_t b) {
  if (a == kNoMax || b == kNoMax) return kNoMax;
  return a + b >= kMaxCount || a + b < a ? kNoMax : a + b;
}

}  // namespace

RegexId RegexSet::bytes(const ByteSet& set) { return set.empty() ? kNothing : nodes_.bytes(set); }

RegexId RegexSet::literal(std::string_view text) {
  if (text.empty()) return kEmpty;
  return text.size() == 1 ? nodes_.bytes(ByteSet::one(static_cast<uint8_t>(text[0]))) : nodes_.text(text);
}

RegexId RegexSet::code_points(std::span<const CodePointRange> ranges) {
  ByteSet single;
  std::map<uint8_t, Ids> after;  // a lead byte
  for_each_utf8_range(ranges, [&](const Utf8Range& range) {
    RegexId rest = kEmpty;
    for (size_t i = static_cast<size_t>(range.length); i-- > 1;) {
      rest = join(bytes(ByteSet::range(range.first[i], range.last[i])), rest);
    }
    for (unsigned b = range.first[0]; b <= range.last[0]; ++b) {
      if (range.length == 1)
        single.add(static_cast<uint8_t>(b));
      else
        after[static_cast<uint8_t>(b)].push_back(rest);
    }
  });
  std::map<RegexId, ByteSet> leads;
  for (auto& [lead, rests] : after) leads[choice(std::move(rests))].add(lead);
  Ids parts{bytes(single)};
  for (const auto& [rest, set] : leads) parts.push_back(join(bytes(set), rest));
  return choice(std::move(parts));
}

// `first` is no concatenation.
RegexId RegexSet::join_head(RegexId first, RegexId rest) {
  if (first == kNothing || rest == kNothing) return kNothing;
  if (first == kEmpty) return rest;
  if (rest == kEmpty) return first;
  const RegexNode& r = nodes_[rest];
  const RegexId head = r.kind == RegexKind::kConcat ? r.a : rest, tail = r.kind == RegexKind::kConcat ? r.b : kEmpty;
  if (first == kAnything && head == kAnything) return rest;
  const RegexNode &x = nodes_[first], &y = nodes_[head];
  const bool x_repeats = x.kind == RegexKind::kRepeat, y_repeats = y.kind == RegexKind::kRepeat;
  if ((x_repeats || y_repeats) && (x_repeats ? x.a : first) == (y_repeats ? y.a : head)) {
    const uint32_t min = added(x_repeats ? x.min : 1, y_repeats ? y.min : 1);
    const uint32_t max = added(x_repeats ? x.max : 1, y_repeats ? y.max : 1);
    if (min != kNoMax) return join_head(repeat_simplified(x_repeats ? x.a : first, min, max), tail);
  }
  return nodes_.concat(first, rest);
}

RegexId RegexSet::join(RegexId first, RegexId rest) {
  if (nodes_[first].kind != RegexKind::kConcat) return join_head(first, rest);
  Ids parts;
  for (; nodes_[first].kind == RegexKind::kConcat; first = nodes_[first].b) parts.push_back(nodes_[first].a);
  rest = join_head(first, rest);
  while (!parts.empty()) {
    rest = join_head(parts.back(), rest);
    parts.pop_back();
  }
  return rest;
}

RegexId RegexSet::concat(std::span<const RegexId> parts) {
  // Single bytes side by side are one text.
  Ids joined;
  std::string text;
  const auto flush = [&] {
    if (!text.empty()) joined.push_back(literal(text));
    text.clear();
  };
  for (const RegexId id : parts) {
    const RegexNode& x = nodes_[id];
    if (x.kind == RegexKind::kText) {
      text += nodes_.text(id);
    } else if (x.kind == RegexKind::kBytes && nodes_.set(id).count() == 1) {
      text += static_cast<char>(nodes_.set(id).first());
    } else if (id != kEmpty) {
      flush();
      joined.push_back(id);
    }
  }
  flush();
  RegexId out = kEmpty;
  while (!joined.empty()) {
    out = join(joined.back(), out);
    joined.pop_back();
  }
  return out;
}

RegexId RegexSet::trie_of(std::span<const std::string_view> sorted, size_t at) {
  Ids parts;
  ByteSet single;
  for (size_t i = 0; i < sorted.size();) {
    if (sorted[i].size() == at) {
      parts.push_back(kEmpty);
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < sorted.size() && sorted[end][at] == sorted[i][at]) ++end;
    const std::string_view first = sorted[i], last = sorted[end - 1];
    size_t shared = at + 1;
    while (shared < first.size() && shared < last.size() && first[shared] == last[shared]) ++shared;
    const RegexId rest = end - i == 1 ? kEmpty : trie_of(sorted.subspan(i, end - i), shared);
    const std::string_view head = end - i == 1 ? first.substr(at) : first.substr(at, shared - at);
    if (head.size() == 1 && rest == kEmpty)
      single.add(static_cast<uint8_t>(head[0]));
    else
      parts.push_back(join(literal(head), rest));
    i = end;
  }
  if (!single.empty()) parts.push_back(bytes(single));
  return choice(std::move(parts));
}

// Texts as a trie, so that a derivative looks at one of them and not at all.
RegexId RegexSet::spread(const Ids& texts) {
  std::vector<std::string> copies;
  for (const RegexId id : texts) copies.emplace_back(nodes_.text(id));
  std::ranges::sort(copies);
  for (size_t i = 1; i < copies.size(); ++i) {
    // The trie's depth is that of the recursion that builds it.
    if (copies[i].size() > 2000 && copies[i - 1].size() > 2000) return choice(texts);
  }
  copies.erase(std::ranges::unique(copies).begin(), copies.end());
  return trie_of(std::vector<std::string_view>(copies.begin(), copies.end()), 0);
}

RegexId RegexSet::any_of(std::span<const RegexId> parts) {
  Ids texts, others;
  for (const RegexId id : parts) (nodes_[id].kind == RegexKind::kText ? texts : others).push_back(id);
  if (texts.size() > 1) {
    others.push_back(spread(texts));
  } else {
    others.insert(others.end(), texts.begin(), texts.end());
  }
  return choice(std::move(others));
}

// x{2,5}y | x{4,9}y = x{2,9}y, and x{1,9} with the empty text is x{0,9}: what counting in an ambiguous expression leads to.
void RegexSet::merge_repeats(Ids& ids) {
  struct Part {
    RegexId base, rest;
    uint32_t min, max;
  };
  std::vector<Part> parts;
  for (const RegexId id : ids) {
    const RegexNode& x = nodes_[id];
    const RegexId head = x.kind == RegexKind::kConcat ? x.a : id;
    const RegexNode& repeated = nodes_[head];
    if (repeated.kind != RegexKind::kRepeat) continue;
    parts.push_back({repeated.a, x.kind == RegexKind::kConcat ? x.b : kEmpty, repeated.min, repeated.max});
  }
  if (parts.empty()) return;
  std::ranges::sort(parts, [](const Part& x, const Part& y) {
    return std::array{x.base, x.rest, x.min, x.max} < std::array{y.base, y.rest, y.min, y.max};
  });
  std::vector<Part> merged;
  for (Part part : parts) {
    if (part.rest == kEmpty && part.min == 1 && ids[0] == kEmpty) part.min = 0;
    Part* last = merged.empty() ? nullptr : &merged.back();
    if (last && last->base == part.base && last->rest == part.rest && part.min <= added(last->max, 1)) {
      last->max = std::max(last->max, part.max);
    } else {
      merged.push_back(part);
    }
  }
  const bool same = merged.size() == parts.size() && std::ranges::equal(merged, parts, {}, &Part::min, &Part::min);
  if (same) return;
  std::erase_if(ids, [&](RegexId id) {
    const RegexNode& x = nodes_[id];
    return nodes_[x.kind == RegexKind::kConcat ? x.a : id].kind == RegexKind::kRepeat;
  });
  for (const Part& part : merged) ids.push_back(join_head(repeat_simplified(part.base, part.min, part.max), part.rest));
}

RegexId RegexSet::choice(Ids given) {
  if (given.size() == 1) return given[0];
  Ids ids;
  ByteSet set;
  for (const RegexId id : given) {
    switch (nodes_[id].kind) {
      case RegexKind::kNothing:
        break;
      case RegexKind::kAnything:
        return kAnything;
      case RegexKind::kBytes:
        set = set | nodes_.set(id);
        break;
      case RegexKind::kAnyOf:
        for (const RegexId part : nodes_.list(id)) {
          if (nodes_[part].kind == RegexKind::kBytes)
            set = set | nodes_.set(part);
          else
            ids.push_back(part);
        }
        break;
      default:
        ids.push_back(id);
    }
  }
  if (!set.empty()) ids.push_back(bytes(set));
  const auto tidy = [&] {
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
  };
  tidy();
  if (ids.size() > 1) {
    merge_repeats(ids);
    tidy();
    const bool without =
        ids[0] == kEmpty && std::any_of(ids.begin() + 1, ids.end(), [&](RegexId id) { return nullable(id); });
    if (without) ids.erase(ids.begin());
  }
  if (ids.empty()) return kNothing;
  return ids.size() == 1 ? ids[0] : nodes_.list(RegexKind::kAnyOf, ids);
}

RegexId RegexSet::filtered_bytes(RegexId set, std::span<const RegexId> others) {
  ByteSet out;
  for (unsigned b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    if (!nodes_.set(set).has(byte)) continue;
    if (std::ranges::all_of(others, [&](RegexId id) { return nullable(raw_derivative(id, byte)); })) out.add(byte);
  }
  return bytes(out);
}

RegexId RegexSet::both(RegexId a, RegexId b) {
  Ids ids;
  for (const RegexId id : {a, b}) {
    if (id == kNothing) return kNothing;
    if (nodes_[id].kind == RegexKind::kBoth) {
      const auto parts = nodes_.list(id);
      ids.insert(ids.end(), parts.begin(), parts.end());
    } else if (id != kAnything) {
      ids.push_back(id);
    }
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  if (ids.empty()) return kAnything;
  if (ids.size() == 1) return ids[0];
  if (ids[0] == kEmpty) return std::ranges::all_of(ids, [&](RegexId id) { return nullable(id); }) ? kEmpty : kNothing;
  for (const RegexId id : ids) {
    const RegexKind kind = nodes_[id].kind;
    if (kind == RegexKind::kNot && std::ranges::binary_search(ids, nodes_[id].a)) return kNothing;
    if (kind == RegexKind::kBytes) return filtered_bytes(id, ids);
    if (kind != RegexKind::kText) continue;
    const std::string text(nodes_.text(id));
    return std::ranges::all_of(ids, [&](RegexId other) { return matches(other, text); }) ? id : kNothing;
  }
  return nodes_.list(RegexKind::kBoth, ids);
}

RegexId RegexSet::complement(RegexId a) {
  if (a == kNothing) return kAnything;
  if (a == kAnything) return kNothing;
  return nodes_[a].kind == RegexKind::kNot ? nodes_[a].a : nodes_.complement(a);
}

RegexId RegexSet::without_empty(RegexId a) {
  if (!nullable(a)) return a;
  const RegexNode x = nodes_[a];
  switch (x.kind) {
    case RegexKind::kEmpty:
      return kNothing;
    case RegexKind::kConcat:
      return choice({join(without_empty(x.a), x.b), without_empty(x.b)});
    case RegexKind::kAnyOf: {
      Ids parts(nodes_.list(a).begin(), nodes_.list(a).end());
      for (RegexId& part : parts) part = without_empty(part);
      return choice(std::move(parts));
    }
    case RegexKind::kRepeat:
      return repeat_simplified(without_empty(x.a), std::max(x.min, 1u), x.max);
    default:
      return both(a, repeat_simplified(bytes(ByteSet::all()), 1, kNoMax));
  }
}

RegexId RegexSet::capped(RegexId a, uint32_t bytes, int depth) {
  constexpr int kDeepest = 8;  // larger counts lie at the beginning, or are left as they are
  const RegexNode x = nodes_[a];
  if (depth > kDeepest) return a;
  switch (x.kind) {
    case RegexKind::kRepeat: {
      const uint32_t min = std::min(x.min, bytes + 1), max = x.max == kNoMax ? kNoMax : std::min(x.max, bytes + 1);
      return min == x.min && max == x.max ? a : repeat_simplified(x.a, min, max);
    }
    case RegexKind::kConcat: {
      const RegexId first = capped(x.a, bytes, depth + 1), rest = capped(x.b, bytes, depth + 1);
      return first == x.a && rest == x.b ? a : join(first, rest);
    }
    case RegexKind::kAnyOf: {
      if (x.b - x.a > 8) return a;
      Ids parts(nodes_.list(a).begin(), nodes_.list(a).end());
      for (RegexId& part : parts) part = capped(part, bytes, depth + 1);
      return choice(std::move(parts));
    }
    default:
      return a;
  }
}

RegexId RegexSet::repeat(RegexId a, int64_t min, int64_t max) {
  if (min < 0 || (max >= 0 && max < min)) fail(Errc::kBadInput, "repeats at least {} and at most {} times", min, max);
  if (min >= kMaxCount) fail(Errc::kBadInput, "the grammar is too large: repeats at least {} times", min);
  return repeat_simplified(a, static_cast<uint32_t>(min), max < 0 || max >= kMaxCount ? kNoMax : static_cast<uint32_t>(max));
}

RegexId RegexSet::repeat_simplified(RegexId a, uint32_t min, uint32_t max) {
  if (max == 0 || a == kEmpty) return kEmpty;
  if (a == kNothing) return min == 0 ? kEmpty : kNothing;
  if (a == kAnything || (min == 1 && max == 1)) return a;
  if (nullable(a)) min = 0;
  if (nodes_[a].kind == RegexKind::kAnyOf && nodes_.list(a)[0] == kEmpty) {
    const auto parts = nodes_.list(a);
    a = choice(Ids(parts.begin() + 1, parts.end()));
    if (max == 1) return choice({kEmpty, a});
  }
  const RegexNode& x = nodes_[a];
  if (x.kind == RegexKind::kBytes && min == 0 && max == kNoMax && nodes_.set(a) == ByteSet::all()) return kAnything;
  if (x.kind == RegexKind::kRepeat) {
    // (x{m,n}){p,q} takes all counts from mp to nq if there is no gap between those of k and k+1 rounds.
    const uint64_t m = x.min, n = x.max, from = std::max(min, 1u);
    const bool whole = x.max == kNoMax ? true : (from + 1) * m <= from * n + 1;
    const uint64_t low = m * min, high = x.max == kNoMax || max == kNoMax ? kMaxCount : n * max;
    if (whole && (min > 0 || m <= 1) && low < kMaxCount) {
      return repeat_simplified(x.a, static_cast<uint32_t>(low), high >= kMaxCount ? kNoMax : static_cast<uint32_t>(high));
    }
  }
  return nodes_.repeat(a, min, max);
}

}  // namespace skald
