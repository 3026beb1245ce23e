#include "sampling/grammar/schema/object_states.h"

#include <algorithm>
#include <array>

#include "sampling/grammar/schema/refusal.h"

namespace skald {
namespace {

constexpr size_t kMaxObjectStates = 20'000;

}  // namespace

Piece SchemaWriter::ObjectStates::start() {
  const Piece out = rule_of({.at = std::vector<size_t>(plan_.chains.size(), 0)});
  while (!undefined_.empty()) {
    const State next = undefined_.front();
    undefined_.pop_front();
    define(next, rules_.at(next));
  }
  return out;
}

Piece SchemaWriter::ObjectStates::rule_of(const State& state) {
  if (const auto it = rules_.find(state); it != rules_.end()) return writer_.pieces_.rule(it->second);
  if (rules_.size() >= kMaxObjectStates) {
    const JsonId schema = plan_.origin.schema;
    refuse(writer_.reader_.document(), schema,
           writer_.reader_.keyword_at(schema, {"maxProperties", "minProperties", "required"}),
           "too large together with the other keywords: more than {} states", kMaxObjectStates);
  }
  const RuleId rule = writer_.grammar_.add_rule("members");
  rules_[state] = rule;
  undefined_.push_back(state);
  return writer_.pieces_.rule(rule);
}

// The member, and what may come after it.
Piece SchemaWriter::ObjectStates::step(const Piece& member, State next, bool counts) {
  const Piece comma = next.first ? writer_.pieces_.empty() : plan_.comma;
  next.first = false;
  const int64_t most = std::max(plan_.min, plan_.max);
  if (counts && most > 0) next.count = plan_.max == kNoLimit ? std::min(next.count + 1, most) : next.count + 1;
  return writer_.pieces_.sequence(std::array{comma, member, rule_of(next)});
}

// A chain's next members up to the first that must be there; one chain alone goes on member by member.
void SchemaWriter::ObjectStates::add_listed(const State& state, std::vector<Piece>& ways) {
  bool all_optional = true;
  const bool alone = state.at.size() == 1, full = plan_.max != kNoLimit && state.count >= plan_.max;
  for (size_t c = 0; c < state.at.size(); ++c) {
    const auto& chain = plan_.chains[c];
    size_t i = state.at[c];
    for (; i < chain.size(); ++i) {
      State next = state;
      next.at[c] = i + 1;
      if (!full) ways.push_back(step(chain[i].text, next, true));
      if (chain[i].required) break;
      if (!alone) continue;
      ways.push_back(rule_of(next));
      return;
    }
    all_optional &= i == chain.size();
  }
  if (!all_optional) return;
  State after = state;
  after.at.clear();
  ways.push_back(rule_of(after));
}

void SchemaWriter::ObjectStates::add_others(const State& state, std::vector<Piece>& ways) {
  const bool full = plan_.max != kNoLimit && state.count >= plan_.max;
  bool done = state.count >= plan_.min && state.wanted + 1 == 1u << plan_.wishes;
  for (size_t i = 0; i < plan_.loose.size(); ++i) {
    const uint32_t bit = uint32_t{1} << i;
    if ((state.loose & bit) != 0) continue;
    State next = state;
    next.loose |= bit;
    if (!full) ways.push_back(step(plan_.loose[i].text, next, true));
    done &= !plan_.loose[i].required;
  }
  for (uint32_t met = 0; met < plan_.wanted.size() && !full; ++met) {
    const Piece& member = plan_.wanted[met];
    if ((state.wanted & met) != 0 || (member.regular && member.id == RegexSet::kNothing)) continue;
    State next = state;
    next.wanted |= met;
    ways.push_back(step(member, next, true));
  }
  if (done) ways.push_back(state.first ? writer_.pieces_.empty() : plan_.gap);
}

void SchemaWriter::ObjectStates::define(const State& state, RuleId rule) {
  std::vector<Piece> ways;
  if (state.at.empty())
    add_others(state, ways);
  else
    add_listed(state, ways);
  writer_.grammar_.define(rule, writer_.pieces_.expr(writer_.pieces_.any_of(ways)));
}

}  // namespace skald
