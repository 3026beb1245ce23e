#include "sampling/grammar/schema/formulas.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

constexpr size_t kMaxFormulas = 50'000;

}  // namespace

Formulas::Formulas() : formulas_{{.kind = Kind::kAnything, .parts = {}}, {.kind = Kind::kNever, .parts = {}}} {}

FormulaId Formulas::find_or_add(Kind kind, const SchemaPlace& place, std::vector<FormulaId> parts) {
  const bool leaf = parts.empty();
  std::vector<FormulaId> sorted = parts;
  std::ranges::sort(sorted);
  const auto next = static_cast<FormulaId>(formulas_.size());
  const FormulaId id = leaf ? leaves_.try_emplace({kind, place}, next).first->second
                            : joins_.try_emplace({kind, std::move(sorted)}, next).first->second;
  if (id < next) return id;
  if (next >= kMaxFormulas)
    fail(Errc::kBadInput, "JSON schema: too large: its parts meet in more than {} ways", kMaxFormulas);
  formulas_.push_back({.kind = kind, .place = place, .parts = std::move(parts)});
  return id;
}

FormulaId Formulas::schema(const SchemaPlace& place) { return find_or_add(Kind::kSchema, place, {}); }

FormulaId Formulas::value(JsonId value) { return find_or_add(Kind::kValue, {value}, {}); }

FormulaId Formulas::join(Kind kind, std::span<const FormulaId> parts) {
  const FormulaId neutral = kind == Kind::kAll ? kAnything : kNever, end = kind == Kind::kAll ? kNever : kAnything;
  std::vector<FormulaId> flat;
  const auto add = [&](FormulaId part) {
    if (part != neutral && std::ranges::find(flat, part) == flat.end()) flat.push_back(part);
  };
  for (const FormulaId part : parts) {
    if (part == end) return end;
    if (formulas_[part].kind == kind)
      std::ranges::for_each(formulas_[part].parts, add);
    else
      add(part);
  }
  if (flat.empty()) return neutral;
  return flat.size() == 1 ? flat[0] : find_or_add(kind, {}, std::move(flat));
}

FormulaId Formulas::all(std::span<const FormulaId> parts) { return join(Kind::kAll, parts); }
FormulaId Formulas::any(std::span<const FormulaId> parts) { return join(Kind::kAny, parts); }
FormulaId Formulas::all(FormulaId a, FormulaId b) { return all(std::array{a, b}); }
FormulaId Formulas::any(FormulaId a, FormulaId b) { return any(std::array{a, b}); }

FormulaId Formulas::negated(FormulaId part) {
  if (part == kAnything || part == kNever) return part == kAnything ? kNever : kAnything;
  if (formulas_[part].kind == Kind::kNot) return formulas_[part].parts[0];
  return find_or_add(Kind::kNot, {}, {part});
}

}  // namespace skald
