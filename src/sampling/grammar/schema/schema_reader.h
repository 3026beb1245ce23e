// SchemaReader: from the keywords of a document's schemas to shapes, each made when it is asked for.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/grammar/schema/json_document.h"
#include "sampling/grammar/schema/references.h"
#include "sampling/grammar/schema/shape.h"
#include "sampling/grammar/schema/shape_algebra.h"

namespace skald {

class SchemaReader {
 public:
  /// `warn` hears what is ignored. All three must outlive the reader.
  SchemaReader(RegexSet& regexes, const JsonDocument& document, std::function<void(std::string)> warn);

  FormulaId root() { return formula(references_.root()); }
  /// Throws what names a keyword where a schema is wrong or cannot be enforced. The reference stays good.
  const Shape& shape(FormulaId formula);
  /// Whether it takes nothing, as far as can be told without following recursion.
  bool surely_empty(FormulaId formula);

  /// The innermost schema that surely takes nothing, from the root along members that must be there; else the root.
  JsonId without_value();

  /// The first of these keywords that the schema has, else its first that asserts something: for errors.
  std::string keyword_at(JsonId schema, std::initializer_list<std::string_view> keywords = {}) const;

  ShapeAlgebra& algebra() { return algebra_; }
  const JsonDocument& document() const { return document_; }

 private:
  using Kind = JsonDocument::Kind;

  FormulaId formula(SchemaPlace place);
  FormulaId formula_inside(const SchemaPlace& from, JsonId schema) { return formula(references_.inside(from, schema)); }
  Shape make(FormulaId formula);
  std::optional<SchemaPlace> empty_part(const SchemaPlace& place);
  bool has_value(const Shape& shape);

  // A schema's own keywords.
  Shape read(const SchemaPlace& place);
  void check(const SchemaPlace& place);
  Shape read_assertions(const SchemaPlace& place);
  Shape read_types(JsonId schema);
  Shape shape_of_values(std::span<const JsonId> values);
  void read_listed_values(JsonId schema, Shape& shape);
  void read_numbers(JsonId schema, Shape& shape);
  void read_bound(JsonId schema, Shape& shape, std::string_view keyword, std::string_view exclusive, bool lower);
  void read_strings(JsonId schema, Shape& shape);
  RegexId pattern(JsonId schema, std::string_view keyword, const std::string& expression);
  void read_arrays(const SchemaPlace& place, Shape& shape);
  void read_items(const SchemaPlace& place, ArrayShape& array);
  void read_objects(const SchemaPlace& place, Shape& shape);
  void read_properties(const SchemaPlace& place, ObjectShape& object);
  void read_property_names(const SchemaPlace& place, ObjectShape& object);
  void read_required(JsonId schema, ObjectShape& object);

  // Keywords that hold schemas for the same value.
  Shape joined(const SchemaPlace& place, Shape own);
  Shape any_of(const SchemaPlace& place, const Shape& context, std::span<const JsonDocument::Member> schemas);
  void read_choices(const SchemaPlace& place, Shape& shape);
  void read_condition(const SchemaPlace& place, Shape& shape);
  void read_dependencies(const SchemaPlace& place, Shape& shape);
  void read_unevaluated(const SchemaPlace& place, Shape& shape);

  const Shape& shape_inside(const SchemaPlace& from, JsonId schema) { return shape(formula_inside(from, schema)); }
  std::optional<int64_t> count(JsonId schema, std::string_view keyword);
  std::span<const JsonDocument::Member> list(JsonId schema, std::string_view keyword);
  std::span<const JsonDocument::Member> named(JsonId schema, std::string_view keyword);
  bool has(JsonId schema, std::string_view keyword) const { return document_.find(schema, keyword) != nullptr; }
  void warn_once(std::string text);

  const JsonDocument& document_;
  std::function<void(std::string)> warn_;
  std::set<std::string> warned_;
  References references_;
  ShapeAlgebra algebra_;
  RegexSet& regexes_;
  bool tracks_evaluated_;                    // the document asks what was evaluated
  std::deque<std::optional<Shape>> shapes_;  // of formulas
  std::vector<FormulaId> being_made_;
  std::vector<std::optional<bool>> empty_;  // of formulas
  int looking_ = 0;                         // how deep surely_empty has gone
};

}  // namespace skald
