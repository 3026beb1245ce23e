// Arrays whose items are counted by what they are, or must differ: a rule for each state between items.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sampling/grammar/schema/schema_writer.h"

namespace skald {

class SchemaWriter::ArrayStates {
 public:
  /// Throws kUnsupported, naming uniqueItems, where items that must differ are not of a short list of values.
  ArrayStates(SchemaWriter& writer, const ArrayShape& array, bool unique);

  /// What stands between the brackets.
  Piece start();

 private:
  struct State {
    int64_t at = 0;               // the next item's index, as far as it matters
    std::vector<int64_t> counts;  // of each ContainedItems, likewise
    std::vector<bool> used;       // values, where they must differ
    friend std::strong_ordering operator<=>(const State&, const State&) = default;
  };

  Piece rule_of(const State& state);
  void define(const State& state, RuleId rule);
  void add_items(const State& state, std::vector<Piece>& ways);
  void list_values();

  SchemaWriter& writer_;
  const ArrayShape& array_;
  bool unique_;
  int64_t last_ = 0;                // indices from here on are alike
  std::vector<std::string> texts_;  // all values of items, where they must differ
  std::map<State, RuleId> rules_;
  std::deque<State> undefined_;
};

}  // namespace skald
