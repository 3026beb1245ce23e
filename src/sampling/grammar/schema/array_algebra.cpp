// What ShapeAlgebra knows about arrays.
#include <algorithm>

#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/shape_algebra.h"

namespace skald {
bool ShapeAlgebra::is_void(const ArrayShape& array) const {
  if (array.max != kNoLimit && array.max < array.min) return true;
  for (size_t i = 0; static_cast<int64_t>(i) < array.min && i <= array.prefix.size(); ++i) {
    if (surely_empty(item_at(array, i))) return true;
  }
  return std::ranges::any_of(array.contains, [&](const ContainedItems& c) {
    const bool too_many = array.max != kNoLimit && c.min > array.max - static_cast<int64_t>(c.from);
    return (c.max != kNoLimit && c.max < c.min) || (c.min > 0 && (too_many || surely_empty(c.what)));
  });
}

ArrayShape ShapeAlgebra::both(const ArrayShape& a, const ArrayShape& b) {
  ArrayShape out;
  for (size_t i = 0; i < std::max(a.prefix.size(), b.prefix.size()); ++i)
    out.prefix.push_back(formulas.all(item_at(a, i), item_at(b, i)));
  out.rest = formulas.all(a.rest, b.rest);
  out.min = std::max(a.min, b.min);
  out.max = smaller_limit(a.max, b.max);
  out.contains = a.contains;
  for (const ContainedItems& c : b.contains) {
    if (std::ranges::find(out.contains, c) == out.contains.end()) out.contains.push_back(c);
  }
  out.unique = a.unique || b.unique;
  out.origin = a == any_array() ? b.origin : a.origin;
  out.evaluated = std::max(a.evaluated, b.evaluated);
  out.all_evaluated = a.all_evaluated || b.all_evaluated;
  out.evaluated_if = a.evaluated_if;
  out.evaluated_if.insert(out.evaluated_if.end(), b.evaluated_if.begin(), b.evaluated_if.end());
  // Items that may not be there are a limit: so that equal sets have equal forms, and voids are seen.
  for (size_t i = 0; i <= out.prefix.size(); ++i) {
    if (item_at(out, i) != Formulas::kNever) continue;
    out.max = smaller_limit(out.max, static_cast<int64_t>(i));
    break;
  }
  return out;
}

// One form for each way in which an array can break the rules.
std::vector<ArrayShape> ShapeAlgebra::complement(const ArrayShape& a) {
  if (a.unique && (a.max == kNoLimit || a.max > 1))
    refuse(document, a.origin.schema, "uniqueItems", "arrays with equal items cannot be told");
  std::vector<ArrayShape> out;
  if (a.min > 0) out.push_back({.prefix = {}, .max = a.min - 1, .contains = {}, .evaluated_if = {}});
  if (a.max != kNoLimit) out.push_back({.prefix = {}, .min = a.max + 1, .contains = {}, .evaluated_if = {}});
  for (size_t i = 0; i < a.prefix.size(); ++i) {
    if (a.prefix[i] == Formulas::kAnything) continue;
    ArrayShape wrong;
    wrong.prefix.assign(i, Formulas::kAnything);
    wrong.prefix.push_back(formulas.negated(a.prefix[i]));
    wrong.min = static_cast<int64_t>(i) + 1;
    out.push_back(std::move(wrong));
  }
  if (a.rest == Formulas::kNever) {
    out.push_back({.prefix = {}, .min = static_cast<int64_t>(a.prefix.size()) + 1, .contains = {}, .evaluated_if = {}});
  } else if (a.rest != Formulas::kAnything) {
    out.push_back({.prefix = {},
                   .contains = {{.from = a.prefix.size(), .what = formulas.negated(a.rest), .origin = a.origin}},
                   .evaluated_if = {}});
  }
  for (const ContainedItems& c : a.contains) {
    if (c.min > 0) {
      ContainedItems few = c;
      few.min = 0, few.max = c.min - 1;
      out.push_back({.prefix = {}, .contains = {few}, .evaluated_if = {}});
    }
    if (c.max != kNoLimit) {
      ContainedItems many = c;
      many.min = c.max + 1, many.max = kNoLimit;
      out.push_back({.prefix = {}, .contains = {many}, .evaluated_if = {}});
    }
  }
  return out;
}

}  // namespace skald
