// Shape: a set of JSON values in normal form: what it has of each type, arrays and objects as unions of simple forms whose
// members are formulas.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sampling/grammar/regex_set.h"
#include "sampling/grammar/schema/formulas.h"
#include "sampling/grammar/schema/number_language.h"

namespace skald {

inline constexpr int64_t kNoLimit = -1;

/// Returns the limit that two together are.
inline int64_t smaller_limit(int64_t a, int64_t b) { return a == kNoLimit ? b : b == kNoLimit ? a : std::min(a, b); }

/// The schema that asks for something: what errors name. Says nothing about the set.
struct Origin {
  JsonId schema = JsonDocument::kRoot;
  friend bool operator==(const Origin&, const Origin&) { return true; }
};

/// Between min and max items from index `from` on are in `what`.
struct ContainedItems {
  size_t from = 0;
  FormulaId what = Formulas::kAnything;
  int64_t min = 1, max = kNoLimit;
  Origin origin{};
  friend bool operator==(const ContainedItems&, const ContainedItems&) = default;
};

struct ArrayShape {
  std::vector<FormulaId> prefix;
  FormulaId rest = Formulas::kAnything;
  int64_t min = 0, max = kNoLimit;
  std::vector<ContainedItems> contains;
  bool unique = false;
  Origin origin{};
  // What unevaluatedItems leaves out: the first items, all of them, those in one of these formulas.
  size_t evaluated = 0;
  bool all_evaluated = false;
  std::vector<FormulaId> evaluated_if;
  friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

struct Property {
  std::string key;
  FormulaId value = Formulas::kAnything;
  bool required = false;
  bool listed = true;  // by `properties`, so that its place among the others is known
  uint32_t chain = 0;  // properties of one chain stand in their order
  friend bool operator==(const Property&, const Property&) = default;
};

/// Keys that no property has, with the values that they may have.
struct KeyClass {
  RegexId keys;
  FormulaId value = Formulas::kAnything;
  friend bool operator==(const KeyClass&, const KeyClass&) = default;
};

/// At least one member has a key of these with such a value.
struct SomeMember {
  RegexId keys;
  FormulaId value = Formulas::kAnything;
  Origin origin{};
  friend bool operator==(const SomeMember&, const SomeMember&) = default;
};

struct ObjectShape {
  std::vector<Property> properties;
  std::vector<KeyClass> others;  // have no key in common; what is in none is forbidden
  int64_t min = 0, max = kNoLimit;
  Origin origin{};
  std::vector<SomeMember> some;
  RegexId evaluated = RegexSet::kNothing;  // keys that unevaluatedProperties leaves out
  friend bool operator==(const ObjectShape&, const ObjectShape&) = default;
};

struct Shape {
  bool null = false, no = false, yes = false;
  NumberSet numbers{.plain = RegexSet::kNothing};
  RegexId strings = RegexSet::kNothing;
  std::vector<ArrayShape> arrays;
  std::vector<ObjectShape> objects;
};

}  // namespace skald
