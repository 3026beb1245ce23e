#include "sampling/grammar/schema/pieces.h"

#include <algorithm>

namespace skald {
namespace {

constexpr uint32_t kMaxSize = 64;  // of what is joined: larger languages would be copied into each place that uses them

}  // namespace

Piece Pieces::sequence(std::span<const Piece> parts) {
  std::vector<ExprId> exprs;
  std::vector<RegexId> run;
  uint32_t size = 0;
  const auto end_run = [&] {
    if (!run.empty()) exprs.push_back(grammar_.terminal(grammar_.regexes.concat(run)));
    run.clear();
    size = 0;
  };
  for (const Piece& part : parts) {
    if (part.regular && part.id == RegexSet::kNothing) return nothing();
    if (part.regular && part.id == RegexSet::kEmpty) continue;
    if (!part.regular || size + part.size > kMaxSize) end_run();
    if (part.regular) {
      run.push_back(part.id);
      size += part.size;
    } else {
      exprs.push_back(part.id);
    }
  }
  if (exprs.empty()) return regex(grammar_.regexes.concat(run), size);
  end_run();
  return {false, grammar_.sequence(exprs)};
}

Piece Pieces::any_of(std::span<const Piece> parts) {
  std::vector<RegexId> regular;
  std::vector<ExprId> exprs;
  uint32_t size = 0;
  for (const Piece& part : parts) {
    if (part.regular && part.id == RegexSet::kNothing) continue;
    if (part.regular)
      regular.push_back(part.id), size += part.size;
    else
      exprs.push_back(part.id);
  }
  const RegexId joined = grammar_.regexes.any_of(regular);
  if (exprs.empty()) return regex(joined, size);
  if (!regular.empty()) exprs.push_back(grammar_.terminal(joined));
  return {false, grammar_.any_of(exprs)};
}

Piece Pieces::repeat(const Piece& piece, int64_t min, int64_t max) {
  if (max == 0) return empty();
  if (piece.regular) return regex(grammar_.regexes.repeat(piece.id, min, max), piece.size);
  return {false, grammar_.repeat(piece.id, min, max)};
}

}  // namespace skald
