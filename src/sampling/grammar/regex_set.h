// RegexSet: regular languages over bytes with boolean operations. Equal expressions are one node (hash-consed), after rules
// that bring them to a common form, so that the derivatives of an expression are few: an expression is the state of a lazily
// built automaton (Brzozowski, "Derivatives of Regular Expressions", 1964; Owens et al., 2009).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "sampling/grammar/byte_set.h"
#include "sampling/grammar/code_points.h"
#include "sampling/grammar/regex_nodes.h"
#include "sampling/grammar/regex_rows.h"

namespace skald {

/// Not for several threads at once, not even questions: they build what they need. Everything throws Error (kBadInput, "too
/// large") beyond a limit on nodes, memory, depth and search.
class RegexSet {
 public:
  static constexpr RegexId kNothing = 0, kEmpty = 1, kAnything = 2;

  RegexId nothing() const { return kNothing; }    // no text at all
  RegexId empty() const { return kEmpty; }        // the empty text
  RegexId anything() const { return kAnything; }  // every text of bytes
  RegexId bytes(const ByteSet& set);              // one byte of the set
  RegexId literal(std::string_view text);
  /// One character of the ranges, in UTF-8; surrogates and what is beyond U+10FFFF are left out.
  RegexId code_points(std::span<const CodePointRange> ranges);
  RegexId concat(std::span<const RegexId> parts);
  RegexId any_of(std::span<const RegexId> parts);
  RegexId both(RegexId a, RegexId b);                   // intersection
  RegexId complement(RegexId a);                        // all texts of bytes that are not in `a`
  RegexId repeat(RegexId a, int64_t min, int64_t max);  // max < 0: no upper bound
  /// The texts of at least one byte.
  RegexId without_empty(RegexId a);
  /// Texts of digits, "-" and "." whose digits together are a multiple of `modulus` (1 to 2^31 - 1).
  RegexId multiples_of(uint32_t modulus) { return nodes_.multiple(modulus, 0); }
  /// The texts that are in `a` once each character is spelled as json_escape() says.
  RegexId unescaped(RegexId a) { return a <= kEmpty ? a : nodes_.unescaped(a); }

  // The automaton: an id is a state.

  /// Whether the empty text is in the language.
  bool nullable(RegexId a) const { return nodes_[a].nullable; }
  /// The texts t for which `byte` t is in `a`; kNothing exactly if there is none.
  RegexId derivative(RegexId a, uint8_t byte) {
    const uint32_t row = nodes_[a].row;
    return rows_.target(row != RegexNode::kNoRow && rows_.pruned(row) ? row : pruned_row(a), byte);
  }
  /// The bytes that `a` treats alike; its derivative by each of them.
  const BytePartition& classes(RegexId a) { return rows_.classes(pruned_row(a)); }
  std::span<const RegexId> derivatives(RegexId a) { return rows_.targets(pruned_row(a)); }
  /// The bytes that all of these treat alike; of a number that common_partition() gave.
  uint32_t common_partition(std::span<const RegexId> ids);
  const BytePartition& partition(uint32_t id) const { return rows_.partition(id); }

  /// Whether no text is in the language. Exact; may have to search where there are intersections or complements.
  bool is_nothing(RegexId a);
  /// Whether `text` is in the language.
  bool matches(RegexId a, std::string_view text);
  /// Whether all texts of `a` are in `b`.
  bool contains(RegexId b, RegexId a) { return is_nothing(both(a, complement(b))); }

  /// A state that all texts of at most `bytes` bytes lead on from as from `a`: to nothing or not, to the end or not. Large
  /// counts become smaller, so that many states have one in common.
  RegexId capped(RegexId a, uint32_t bytes) { return nodes_[a].hidden ? a : capped(a, bytes, 0); }

  const RegexNode& node(RegexId a) const { return nodes_[a]; }
  /// Of all that is asked from now on.
  void set_limit(const TimeLimit& limit) { nodes_.set_limit(limit); }
  /// For work of others that makes no nodes. Throws kBadInput when the time is over.
  void check_time() { nodes_.check_time(); }
  /// Throws kBadInput if what nodes and transitions take, and `others` bytes, are too many.
  void check_memory(size_t others) const { nodes_.check_memory(rows_.memory() + others); }
  /// Work that may be done from now on; before the first call there is no limit.
  void set_work(uint64_t most) { work_left_ = most; }
  /// Counts work, of others too: 1 is a step that is known, about 7 ns. Throws kBadInput where it is too much.
  void add_work(uint64_t work);
  /// Bytes that nodes and transitions take.
  size_t memory() const { return nodes_.memory() + rows_.memory(); }

 private:
  using Ids = std::vector<RegexId>;

  RegexId join(RegexId first, RegexId rest);
  RegexId join_head(RegexId first, RegexId rest);
  RegexId choice(Ids ids);
  RegexId repeat_simplified(RegexId a, uint32_t min, uint32_t max);
  RegexId spread(const Ids& texts);
  RegexId trie_of(std::span<const std::string_view> sorted, size_t at);
  void merge_repeats(Ids& ids);
  RegexId capped(RegexId a, uint32_t bytes, int depth);
  RegexId filtered_bytes(RegexId set, std::span<const RegexId> others);

  uint32_t raw_row(RegexId a);
  uint32_t pruned_row(RegexId a);
  uint32_t concat_row(RegexId a);
  uint32_t list_row(RegexId a);
  uint32_t multiple_row(uint32_t modulus, uint32_t remainder);
  uint32_t unescaped_row(RegexId a);
  RegexId raw_derivative(RegexId a, uint8_t byte) { return rows_.target(raw_row(a), byte); }
  bool search_is_nothing(RegexId a);

  RegexNodes nodes_;
  RegexRows rows_;
  uint64_t work_left_ = std::numeric_limits<uint64_t>::max();
};

}  // namespace skald
