// ShapeAlgebra: intersections, unions and complements of shapes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sampling/grammar/schema/formulas.h"
#include "sampling/grammar/schema/json_document.h"
#include "sampling/grammar/schema/number_language.h"
#include "sampling/grammar/schema/shape.h"
#include "sampling/grammar/schema/string_language.h"

namespace skald {

class ShapeAlgebra {
 public:
  ShapeAlgebra(RegexSet& regexes, const JsonDocument& document)
      : regexes(regexes), strings(regexes), numbers(regexes), document(document) {}

  Shape everything() const;
  ArrayShape any_array() const { return {}; }
  ObjectShape any_object() const { return {.properties = {}, .others = {{strings.all()}}, .some = {}}; }

  Shape both(const Shape& a, const Shape& b);
  Shape either(const Shape& a, const Shape& b);
  /// What is in `a` and not in `b`.
  Shape minus(const Shape& a, const Shape& b);
  /// What is in one of the shapes only.
  Shape exactly_one(std::span<const Shape> shapes);

  std::vector<ArrayShape> both(const std::vector<ArrayShape>& a, const std::vector<ArrayShape>& b);
  std::vector<ObjectShape> both(const std::vector<ObjectShape>& a, const std::vector<ObjectShape>& b);

  /// What the value of `key` must be; kNever where the key is forbidden.
  FormulaId value_of(const ObjectShape& object, const std::string& key);
  const Property* find(const ObjectShape& object, const std::string& key) const;
  /// What the item at `index` must be.
  static FormulaId item_at(const ArrayShape& array, size_t index) {
    return index < array.prefix.size() ? array.prefix[index] : array.rest;
  }
  /// Keys that the object declares.
  RegexId declared_keys(const ObjectShape& object);

  /// Whether a formula takes nothing, as far as can be told: forms that ask for such members are left out.
  std::function<bool(FormulaId)> surely_empty = [](FormulaId f) { return f == Formulas::kNever; };

  RegexSet& regexes;
  StringLanguage strings;
  NumberLanguage numbers;
  Formulas formulas;
  const JsonDocument& document;

 private:
  ArrayShape both(const ArrayShape& a, const ArrayShape& b);
  ObjectShape both(const ObjectShape& a, const ObjectShape& b);
  std::vector<ArrayShape> complement(const ArrayShape& a);
  std::vector<ObjectShape> complement(const ObjectShape& a);
  std::vector<KeyClass> both(const std::vector<KeyClass>& a, const std::vector<KeyClass>& b);
  void count_work(size_t steps);
  bool is_void(const ArrayShape& array) const;
  bool is_void(const ObjectShape& object) const;
  template <class Form>
  std::vector<Form> products(const std::vector<Form>& a, const std::vector<Form>& b);
  template <class Form>
  std::vector<Form> minus(std::vector<Form> forms, const std::vector<Form>& taken);
  template <class Form>
  std::vector<Form> one_of(std::span<const Shape> shapes, std::vector<Form> Shape::*forms);

  size_t work_ = 0;  // steps of joining forms so far
};

}  // namespace skald
