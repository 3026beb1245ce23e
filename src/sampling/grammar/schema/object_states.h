// Objects whose members are counted, or come in several orders: a rule for each state between members.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "sampling/grammar/schema/schema_writer.h"

namespace skald {

class SchemaWriter::ObjectStates {
 public:
  ObjectStates(SchemaWriter& writer, const ObjectPlan& plan) : writer_(writer), plan_(plan) {}

  /// What stands between the braces.
  Piece start();

 private:
  struct State {
    std::vector<size_t> at;  // the next member of each chain; empty: after all of them
    uint32_t loose = 0;      // those that are there
    uint32_t wanted = 0;     // likewise
    int64_t count = 0;       // members, as far as it matters
    bool first = true;
    friend std::strong_ordering operator<=>(const State&, const State&) = default;
  };

  Piece rule_of(const State& state);
  void define(const State& state, RuleId rule);
  Piece step(const Piece& member, State next, bool counts);
  void add_listed(const State& state, std::vector<Piece>& ways);
  void add_others(const State& state, std::vector<Piece>& ways);

  SchemaWriter& writer_;
  const ObjectPlan& plan_;
  std::map<State, RuleId> rules_;
  std::deque<State> undefined_;
};

}  // namespace skald
