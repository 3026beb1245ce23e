// PushdownProgram: a grammar, checked and compiled to places ("items") in its rules, and what can come next at each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sampling/grammar/grammar.h"

namespace skald {

using ItemId = uint32_t;

/// One thing that can come next.
struct GrammarLeaf {
  enum class Kind : uint8_t {
    kTerminal,  // a text of the regex `what`, then item `next`
    kCall,      // the rule `what`, then item `next`
    kRepeat,    // the rule `what` for the first time, then item `next`, which is a kAgain
    kAgain,     // the rule `what` once more if it came less than `max` times; or, from `min` times on, item `next`
    kEnd,       // nothing: the rule ends
    kAccept,    // nothing: the whole text ends
  };
  Kind kind;
  bool tail = false;  // a call after which the rule ends
  uint32_t what = 0;
  ItemId next = 0;
  uint32_t min = 0, max = 0;  // max: kNoMax without bound
  static constexpr uint32_t kNoMax = ~uint32_t{0};
};

class PushdownProgram {
 public:
  /// Item 0 accepts.
  static constexpr ItemId kAcceptItem = 0;

  /// Throws kBadInput that names what is wrong: an undefined rule, left recursion (at once or through other rules), a
  /// grammar that no text fits, or one that is too large. What can never be finished is left out.
  explicit PushdownProgram(Grammar grammar);

  RegexSet& regexes() { return regexes_; }
  const RegexSet& regexes() const { return regexes_; }

  struct Rule {
    ItemId entry = 0;
    bool nullable = false;
    uint32_t order = 0;  // a rule that begins with another one has a lower number
  };
  const Rule& rule(RuleId id) const { return rules_[id]; }
  size_t rules() const { return rules_.size(); }
  RuleId start() const { return start_; }

  /// What can come next at an item. Valid until the next call.
  std::span<const GrammarLeaf> leaves(ItemId item);
  size_t memory() const;

 private:
  friend class ProgramBuilder;
  struct Item {
    GrammarLeaf leaf;
    bool splits = false;             // to the items of a stretch of splits_
    bool skips = false;              // the leaf can match the empty text
    uint32_t begin = 0, end = 0;     // of splits_
    uint32_t leaves = ~uint32_t{0};  // begin in leaves_, once asked for
    uint32_t leaves_end = 0;
  };
  void find_leaves(ItemId item);

  RegexSet regexes_;
  std::vector<Item> items_;
  std::vector<ItemId> splits_;
  std::vector<Rule> rules_;
  RuleId start_ = 0;
  std::vector<GrammarLeaf> leaves_;
  std::vector<uint32_t> seen_;  // round in which an item was visited
  uint32_t round_ = 0;
};

}  // namespace skald
