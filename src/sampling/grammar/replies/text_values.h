// Values of arguments where texts are written without quotes: what a value is read as decides how it may be written.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sampling/grammar/schema/schema_writer.h"

namespace skald {

class TextValues {
 public:
  /// `marks`: what no text may have in it, since it would end there.
  TextValues(Grammar& grammar, SchemaReader& reader, SchemaWriter& json, const std::vector<std::string_view>& marks);

  /// A value of which the reader knows the kinds that it may be (bits of JsonKind; kNoKind: nothing): texts of these kinds
  /// are JSON, all else is itself.
  Piece value(FormulaId formula, uint8_t kinds);
  /// A text, which is told to be one.
  Piece text(FormulaId formula);
  /// What is not a text, of these kinds.
  Piece other(FormulaId formula, uint8_t kinds);

 private:
  RegexId texts_of(FormulaId formula);
  RegexId reads_as(uint8_t kinds);

  Grammar& grammar_;
  SchemaReader& reader_;
  SchemaWriter& json_;
  RegexId clean_;
};

}  // namespace skald
