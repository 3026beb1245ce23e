// How SchemaWriter writes arrays.
#include <algorithm>
#include <array>

#include "sampling/grammar/schema/array_states.h"
#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/schema_writer.h"

namespace skald {
namespace {

constexpr int64_t kMaxLeast = 100'000;  // items that must be there
constexpr int64_t kMaxPairs = 8;        // items that are compared with each other

}  // namespace

// Whether no two items can be equal, whatever they are.
bool SchemaWriter::differ_by_themselves(const ArrayShape& array) {
  if (array.max == kNoLimit || array.max > kMaxPairs) return false;
  for (size_t i = 1; static_cast<int64_t>(i) < array.max; ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!reader_.surely_empty(algebra_.formulas.all(ShapeAlgebra::item_at(array, i), ShapeAlgebra::item_at(array, j))))
        return false;
    }
  }
  return true;
}

Piece SchemaWriter::array(const ArrayShape& given) {
  ArrayShape array = given;
  for (size_t i = 0; i <= array.prefix.size(); ++i) {
    if (!reader_.surely_empty(ShapeAlgebra::item_at(array, i))) continue;
    array.max = array.max == kNoLimit ? static_cast<int64_t>(i) : std::min(array.max, static_cast<int64_t>(i));
    break;
  }
  if (array.max != kNoLimit && array.max < array.min) return pieces_.nothing();
  if (array.min > kMaxLeast) refuse(reader_.document(), array.origin.schema, "minItems", "more than {} items", kMaxLeast);
  const bool unique = array.unique && !differ_by_themselves(array);
  const Piece items =
      array.contains.empty() && !unique ? plain_array(array, array.max) : ArrayStates(*this, array, unique).start();
  const std::array whole{pieces_.text("["), gap_, items, pieces_.text("]")};
  return pieces_.sequence(whole);
}

// Items in front by themselves, then any number of the rest: from the end, since each item stands or falls with those
// before.
Piece SchemaWriter::plain_array(const ArrayShape& array, int64_t max) {
  const auto front = static_cast<int64_t>(array.prefix.size());
  const bool rest = max == kNoLimit || max > front;
  if (max == 0 || (front == 0 && !rest)) return pieces_.empty();
  Piece tail = gap_;
  if (rest) {
    const Piece item = value(array.rest);
    if (front == 0) {
      const Piece more = pieces_.repeat(pieces_.sequence(std::array{comma_, item}), std::max<int64_t>(array.min - 1, 0),
                                        max == kNoLimit ? max : max - 1);
      const Piece some = pieces_.sequence(std::array{item, more, gap_});
      return array.min > 0 ? some : pieces_.optional(some);
    }
    const Piece more = pieces_.repeat(pieces_.sequence(std::array{comma_, item}), std::max<int64_t>(array.min - front, 0),
                                      max == kNoLimit ? max : max - front);
    tail = pieces_.sequence(std::array{more, gap_});
  }
  for (int64_t i = max == kNoLimit ? front : std::min(front, max); i-- > 0;) {
    const Piece item = value(array.prefix[static_cast<size_t>(i)]);
    tail = pieces_.sequence(std::array{i > 0 ? comma_ : pieces_.empty(), item, tail});
    if (i >= array.min) tail = pieces_.any_of(std::array{tail, i > 0 ? gap_ : pieces_.empty()});
    if (!tail.regular) tail = pieces_.rule(add_rule("items", tail));
  }
  return tail;
}

}  // namespace skald
