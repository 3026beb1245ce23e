// SchemaWriter: from shapes to the rules of a grammar.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sampling/grammar/grammar.h"
#include "sampling/grammar/json_schema.h"
#include "sampling/grammar/schema/pieces.h"
#include "sampling/grammar/schema/schema_reader.h"
#include "sampling/grammar/schema/value_notation.h"

namespace skald {

class SchemaWriter {
 public:
  SchemaWriter(Grammar& grammar, SchemaReader& reader, ValueNotation notation);

  /// Adds rules for the formula and all that it needs, and makes it the grammar's start. Throws kBadInput if no value fits.
  void write(FormulaId root);
  /// Adds rules for the members of the objects of a formula, written one by one. Throws kBadInput if no object fits.
  RuleId arguments(FormulaId root, const MemberNotation& notation);

  /// A value, and one of a shape, which is none of the reader's own; what they need is added by define_all().
  Piece value(FormulaId formula);
  Piece of_shape(const Shape& shape);
  void define_all();
  /// Members as objects among the values have them.
  MemberNotation members();
  const ValueNotation& notation() const { return notation_; }
  Pieces& pieces() { return pieces_; }

 private:
  struct Member {  // of an object, that is written
    std::string key;
    Piece text;  // key, colon and value
    bool required;
  };
  struct ObjectPlan {
    std::vector<std::vector<Member>> chains;  // of members in order
    std::vector<Member> loose;                // in any place after them
    Piece other;                              // any further member
    std::vector<Piece> wanted;                // by sets of wishes: further members that meet all of them
    uint32_t wishes = 0;                      // how many: each must be met
    int64_t min = 0, max = kNoLimit;
    Origin origin{};
    Piece comma, gap;  // between members; after the last one
  };
  class ObjectStates;
  class ArrayStates;

  /// Throws kBadInput, which names the place that no value fits.
  [[noreturn]] void refuse_empty(std::string_view why);
  Piece scalars(const Shape& shape);
  Piece any_value();
  void define(FormulaId formula);
  RuleId add_rule(const std::string& name, const Piece& body);

  std::vector<ObjectShape> settled(const ObjectShape& object);
  std::optional<Piece> object(const ObjectShape& object);
  std::optional<Piece> arguments_of(const ObjectShape& object, const MemberNotation& notation);
  std::optional<ObjectPlan> plan(const ObjectShape& object, const MemberNotation& notation);
  Piece planned(const ObjectPlan& plan);
  Piece ordered_object(const ObjectPlan& plan);
  Piece other_members(const ObjectShape& object, const MemberNotation& notation, RegexId within);

  Piece array(const ArrayShape& array);
  Piece plain_array(const ArrayShape& array, int64_t max);
  bool differ_by_themselves(const ArrayShape& array);

  Grammar& grammar_;
  SchemaReader& reader_;
  ShapeAlgebra& algebra_;
  Pieces pieces_;
  ValueNotation notation_;
  Piece gap_;                          // anywhere between parts
  Piece comma_, colon_;                // with what may stand around them
  std::map<FormulaId, Piece> values_;  // regular ones, and rules
  std::map<FormulaId, RuleId> rules_;
  std::deque<FormulaId> undefined_;  // have a rule without a body
  std::optional<Piece> any_value_;
};

}  // namespace skald
