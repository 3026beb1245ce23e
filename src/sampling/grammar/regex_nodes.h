// RegexNodes: the expressions of a RegexSet. Equal ones are stored once, so that an id says all about a language's form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/grammar/byte_set.h"
#include "sampling/grammar/time_limit.h"

namespace skald {

using RegexId = uint32_t;

enum class RegexKind : uint8_t {
  kNothing,
  kEmpty,
  kAnything,
  kBytes,
  kText,
  kConcat,
  kAnyOf,
  kBoth,
  kNot,
  kRepeat,
  kMultiple,
  kUnescaped
};

struct RegexNode {
  static constexpr uint32_t kNoMax = ~uint32_t{0};
  static constexpr uint32_t kNoRow = ~uint32_t{0};
  enum class Life : uint8_t { kUnknown, kAlive, kDead };  // whether the language has a text

  RegexKind kind = RegexKind::kNothing;
  bool nullable = false;
  bool hidden = false;  // intersections or complements inside: the form does not show whether there is a text
  Life life = Life::kAlive;
  uint32_t depth = 0;  // how deep derivatives recurse
  uint32_t
      a = 0,
      b = 0;  // operands; of lists and texts: begin and end in their pool; a set's index; of multiples: modulus, remainder
  uint32_t min = 0, max = 0;  // of repetitions
  uint32_t least = 0;         // no text is shorter
  uint32_t row = kNoRow;      // of the automaton
};

class RegexNodes {
 public:
  RegexNodes();

  const RegexNode& operator[](RegexId id) const { return nodes_[id]; }
  void set_row(RegexId id, uint32_t row) { nodes_[id].row = row; }
  void set_life(RegexId id, RegexNode::Life life) { nodes_[id].life = life; }

  /// The operands of an alternative or intersection.
  std::span<const RegexId> list(RegexId id) const {
    return std::span(lists_).subspan(nodes_[id].a, nodes_[id].b - nodes_[id].a);
  }
  std::string_view text(RegexId id) const {
    return std::string_view(chars_).substr(nodes_[id].a, nodes_[id].b - nodes_[id].a);
  }
  const ByteSet& set(RegexId id) const { return sets_[nodes_[id].a]; }

  // These make nodes as they are asked for; RegexSet brings them to a common form before.
  RegexId bytes(const ByteSet& set);
  RegexId text(std::string_view text);      // of at least two bytes
  RegexId text_behind_first(RegexId text);  // of at least three bytes
  RegexId concat(RegexId first, RegexId rest);
  RegexId list(RegexKind kind, std::span<const RegexId> sorted);
  RegexId complement(RegexId a);
  RegexId repeat(RegexId a, uint32_t min, uint32_t max);
  RegexId multiple(uint32_t modulus, uint32_t remainder);
  RegexId unescaped(RegexId a);

  size_t memory() const;
  /// What may be added to memory() by others before it is "too large".
  void check_memory(size_t others) const;
  void set_limit(const TimeLimit& limit) { limit_ = limit; }
  void check_time() { limit_.check(); }

 private:
  bool same(const RegexNode& x, RegexId id) const;
  uint64_t hash_of(const RegexNode& node) const;
  uint64_t text_hash(uint32_t begin, uint32_t end) const;
  RegexId find(const RegexNode& node, uint64_t hash);
  RegexId add(RegexNode node, uint64_t hash);
  RegexId find_or_add(const RegexNode& node);
  void grow_table();

  std::vector<RegexNode> nodes_;
  std::vector<uint32_t> table_;  // open addressing: ids + 1
  std::vector<RegexId> lists_;
  std::vector<ByteSet> sets_;
  std::string chars_;
  std::vector<uint64_t> prefix_hash_{0}, power_{1};  // of chars_
  TimeLimit limit_;
};

}  // namespace skald
