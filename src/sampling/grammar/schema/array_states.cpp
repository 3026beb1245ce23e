#include "sampling/grammar/schema/array_states.h"

#include <algorithm>
#include <array>
#include <set>

#include "sampling/grammar/schema/finite_language.h"
#include "sampling/grammar/schema/refusal.h"

namespace skald {
namespace {

constexpr size_t kMaxArrayStates = 20'000;
constexpr size_t kMaxContains = 4;       // 2^n kinds of items
constexpr size_t kMaxUniqueValues = 12;  // that must differ

}  // namespace

SchemaWriter::ArrayStates::ArrayStates(SchemaWriter& writer, const ArrayShape& array, bool unique)
    : writer_(writer), array_(array), unique_(unique) {
  const JsonDocument& document = writer.reader_.document();
  if (array.contains.size() > kMaxContains)
    refuse(document, array.origin.schema, "contains", "more than {} of them for one array", kMaxContains);
  last_ = std::max({static_cast<int64_t>(array.prefix.size()), array.min, array.max});
  for (const ContainedItems& c : array.contains) last_ = std::max(last_, static_cast<int64_t>(c.from));
  if (unique) list_values();
}

// The texts of all values that items can have: each value has one.
void SchemaWriter::ArrayStates::list_values() {
  std::set<std::string> all;
  const auto add = [&](FormulaId item) {
    const Shape& shape = writer_.reader_.shape(item);
    const Piece scalars = writer_.scalars(shape);
    const auto texts = finite_texts(writer_.grammar_.regexes, scalars.id, kMaxUniqueValues);
    if (!shape.arrays.empty() || !shape.objects.empty() || !texts)
      refuse(writer_.reader_.document(), array_.origin.schema, "uniqueItems",
             "is enforced only for items from a list of at most {} values", kMaxUniqueValues);
    all.insert(texts->begin(), texts->end());
  };
  for (size_t i = 0; i < array_.prefix.size() && (array_.max == kNoLimit || static_cast<int64_t>(i) < array_.max); ++i)
    add(array_.prefix[i]);
  if (array_.max == kNoLimit || array_.max > static_cast<int64_t>(array_.prefix.size())) add(array_.rest);
  texts_.assign(all.begin(), all.end());
  if (texts_.size() > kMaxUniqueValues)
    refuse(writer_.reader_.document(), array_.origin.schema, "uniqueItems",
           "is enforced only for items from a list of at most {} values", kMaxUniqueValues);
}

Piece SchemaWriter::ArrayStates::start() {
  const Piece out =
      rule_of({.counts = std::vector<int64_t>(array_.contains.size(), 0), .used = std::vector<bool>(texts_.size(), false)});
  while (!undefined_.empty()) {
    const State next = undefined_.front();
    undefined_.pop_front();
    define(next, rules_.at(next));
  }
  return out;
}

Piece SchemaWriter::ArrayStates::rule_of(const State& state) {
  if (const auto it = rules_.find(state); it != rules_.end()) return writer_.pieces_.rule(it->second);
  if (rules_.size() >= kMaxArrayStates)
    refuse(writer_.reader_.document(), array_.origin.schema, unique_ ? "uniqueItems" : "contains",
           "too large together with the other keywords: more than {} states", kMaxArrayStates);
  const RuleId rule = writer_.grammar_.add_rule("items");
  rules_[state] = rule;
  undefined_.push_back(state);
  return writer_.pieces_.rule(rule);
}

// An item for each way in which it can count or not. Items that may be too many must not count where they are not counted.
void SchemaWriter::ArrayStates::add_items(const State& state, std::vector<Piece>& ways) {
  Formulas& formulas = writer_.algebra_.formulas;
  Pieces& pieces = writer_.pieces_;
  const Piece comma = state.at == 0 ? pieces.empty() : writer_.comma_;
  for (size_t subset = 0; subset < size_t{1} << array_.contains.size(); ++subset) {
    FormulaId item = ShapeAlgebra::item_at(array_, static_cast<size_t>(state.at));
    State next = state;
    next.at = std::min(state.at + 1, std::max<int64_t>(last_, 1));
    bool possible = true;
    for (size_t i = 0; i < array_.contains.size(); ++i) {
      const ContainedItems& c = array_.contains[i];
      const bool counts = (subset >> i & 1) != 0, asked = state.at >= static_cast<int64_t>(c.from);
      if (counts) {
        item = formulas.all(item, c.what);
        next.counts[i] = c.max == kNoLimit ? std::min(state.counts[i] + 1, c.min) : state.counts[i] + 1;
        possible &= asked && (c.max == kNoLimit ? state.counts[i] < c.min : state.counts[i] < c.max);
      } else if (asked && c.max != kNoLimit) {
        item = formulas.all(item, formulas.negated(c.what));
      }
    }
    if (!possible || writer_.reader_.surely_empty(item)) continue;
    if (!unique_) {
      ways.push_back(pieces.sequence(std::array{comma, writer_.value(item), rule_of(next)}));
      continue;
    }
    const RegexId texts = writer_.scalars(writer_.reader_.shape(item)).id;
    for (size_t i = 0; i < texts_.size(); ++i) {
      if (state.used[i] || !writer_.grammar_.regexes.matches(texts, texts_[i])) continue;
      State other = next;
      other.used[i] = true;
      ways.push_back(pieces.sequence(std::array{comma, pieces.text(texts_[i]), rule_of(other)}));
    }
  }
}

void SchemaWriter::ArrayStates::define(const State& state, RuleId rule) {
  std::vector<Piece> ways;
  if (array_.max == kNoLimit || state.at < array_.max) add_items(state, ways);
  bool done = state.at >= array_.min;
  for (size_t i = 0; i < state.counts.size(); ++i) done &= state.counts[i] >= array_.contains[i].min;
  if (done) ways.push_back(state.at == 0 ? writer_.pieces_.empty() : writer_.gap_);
  writer_.grammar_.define(rule, writer_.pieces_.expr(writer_.pieces_.any_of(ways)));
}

}  // namespace skald
