#include "sampling/grammar/schema/schema_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sampling/grammar/schema/has_text.h"
#include "sampling/grammar/schema/keywords.h"
#include "sampling/grammar/schema/refusal.h"

namespace skald {

SchemaWriter::SchemaWriter(Grammar& grammar, SchemaReader& reader, ValueNotation notation)
    : grammar_(grammar),
      reader_(reader),
      algebra_(reader.algebra()),
      pieces_(grammar),
      notation_(std::move(notation)),
      gap_(pieces_.regex(notation_.gap, 0)),
      comma_(pieces_.regex(notation_.comma)),
      colon_(pieces_.regex(notation_.colon)) {}

RuleId SchemaWriter::add_rule(const std::string& name, const Piece& body) {
  const RuleId id = grammar_.add_rule(name);
  grammar_.define(id, pieces_.expr(body));
  return id;
}

void SchemaWriter::define_all() {
  while (!undefined_.empty()) {
    const FormulaId next = undefined_.front();
    undefined_.pop_front();
    define(next);
  }
}

void SchemaWriter::write(FormulaId root) {
  const Piece start = value(root);
  define_all();
  const RuleId rule = add_rule("root", start);
  grammar_.set_start(rule);
  if (has_text(grammar_, rule)) return;
  refuse_empty("no value fits");
}

void SchemaWriter::refuse_empty(std::string_view why) {
  constexpr size_t kLongest = 300;  // of the keywords' names
  const JsonId schema = reader_.without_value();
  std::string keywords;
  for (const auto& member : reader_.document().at(schema).members) {
    if (is_assertion(member.key)) keywords += (keywords.empty() ? "" : ", ") + member.key;
  }
  throw schema_error(Errc::kBadInput, reader_.document(), schema, keywords.empty() ? "false" : keywords.substr(0, kLongest),
                     why);
}

Piece SchemaWriter::scalars(const Shape& shape) {
  RegexSet& regexes = grammar_.regexes;
  std::vector<RegexId> parts;
  if (shape.null) parts.push_back(regexes.literal(notation_.null));
  if (shape.no) parts.push_back(regexes.literal(notation_.no));
  if (shape.yes) parts.push_back(regexes.literal(notation_.yes));
  if (shape.strings != RegexSet::kNothing) parts.push_back(notation_.text(shape.strings));
  parts.push_back(algebra_.numbers.spelled(shape.numbers));
  const RegexId all = regexes.any_of(parts);
  return regexes.is_nothing(all) ? pieces_.nothing() : pieces_.regex(all);
}

Piece SchemaWriter::value(FormulaId formula) {
  if (formula == Formulas::kAnything) return any_value();
  if (const auto it = values_.find(formula); it != values_.end()) return it->second;
  const Shape& shape = reader_.shape(formula);
  Piece out;
  if (shape.arrays.empty() && shape.objects.empty()) {
    out = scalars(shape);
  } else {
    const RuleId id = grammar_.add_rule("value" + std::to_string(formula));
    rules_[formula] = id;
    undefined_.push_back(formula);
    out = pieces_.rule(id);
  }
  values_[formula] = out;
  return out;
}

// `shape` is none of the reader's own: writing makes more of these.
Piece SchemaWriter::of_shape(const Shape& shape) {
  std::vector<Piece> ways{scalars(shape)};
  for (const ArrayShape& a : shape.arrays)
    about(reader_.document(), a.origin.schema, reader_.keyword_at(a.origin.schema), [&] { ways.push_back(array(a)); });
  for (const ObjectShape& o : shape.objects) {
    about(reader_.document(), o.origin.schema, reader_.keyword_at(o.origin.schema), [&] {
      for (const ObjectShape& one : settled(o)) {
        if (const auto written = object(one)) ways.push_back(*written);
      }
    });
  }
  return pieces_.any_of(ways);
}

void SchemaWriter::define(FormulaId formula) {
  const Shape shape = reader_.shape(formula);  // a copy
  grammar_.define(rules_.at(formula), pieces_.expr(of_shape(shape)));
}

// Every JSON value, in any spelling.
Piece SchemaWriter::any_value() {
  if (any_value_) return *any_value_;
  const RuleId id = grammar_.add_rule("any");
  any_value_ = pieces_.rule(id);
  const Shape all = algebra_.everything();
  const auto list_of = [&](std::string_view open, const Piece& item, std::string_view close) {
    const std::array more{comma_, item};
    const std::array items{item, pieces_.repeat(pieces_.sequence(more), 0, -1), gap_};
    const std::array whole{pieces_.text(open), gap_, pieces_.optional(pieces_.sequence(items)), pieces_.text(close)};
    return pieces_.sequence(whole);
  };
  const Piece member = members().member(nullptr, all.strings, Formulas::kAnything);
  const std::array ways{scalars(all), list_of("[", *any_value_, "]"), list_of("{", member, "}")};
  grammar_.define(id, pieces_.expr(pieces_.any_of(ways)));
  return *any_value_;
}

MemberNotation SchemaWriter::members() {
  const auto member = [this](const std::string*, RegexId keys, FormulaId of) {
    return pieces_.sequence(std::array{pieces_.regex(notation_.key(keys)), colon_, value(of)});
  };
  return {.comma = comma_, .gap = gap_, .keys = algebra_.strings.all(), .member = member};
}

}  // namespace skald
