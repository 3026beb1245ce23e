// Formulas: sets of JSON values as schemas say them, joined by "all of", "any of" and "not". What a schema says of a value's
// members is a formula of its own, so that recursive schemas are a finite number of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sampling/grammar/schema/references.h"

namespace skald {

using FormulaId = uint32_t;

class Formulas {
 public:
  static constexpr FormulaId kAnything = 0, kNever = 1;

  enum class Kind : uint8_t {
    kAnything,
    kNever,
    kSchema,  // what a schema takes
    kValue,   // one value: `place.schema` is it
    kAll,
    kAny,
    kNot,
  };
  struct Formula {
    Kind kind;
    SchemaPlace place{};
    std::vector<FormulaId> parts;
  };

  Formulas();
  FormulaId schema(const SchemaPlace& place);
  FormulaId value(JsonId value);
  FormulaId all(std::span<const FormulaId> parts);
  FormulaId any(std::span<const FormulaId> parts);
  FormulaId negated(FormulaId part);
  FormulaId all(FormulaId a, FormulaId b);
  FormulaId any(FormulaId a, FormulaId b);

  const Formula& at(FormulaId id) const { return formulas_[id]; }
  size_t size() const { return formulas_.size(); }

 private:
  FormulaId join(Kind kind, std::span<const FormulaId> parts);
  FormulaId find_or_add(Kind kind, const SchemaPlace& place, std::vector<FormulaId> parts);

  std::vector<Formula> formulas_;
  std::map<std::pair<Kind, SchemaPlace>, FormulaId> leaves_;
  std::map<std::pair<Kind, std::vector<FormulaId>>, FormulaId> joins_;  // parts sorted
};

}  // namespace skald
