// Pieces of a grammar that are joined as one regular language as long as they are regular and small: what a terminal takes
// costs less than what rules take.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sampling/grammar/grammar.h"

namespace skald {

/// A regular language, or an expression of the grammar.
struct Piece {
  bool regular = true;
  uint32_t id = RegexSet::kEmpty;  // RegexId or ExprId
  uint32_t size = 0;               // of a regular one, in tokens of JSON
};

class Pieces {
 public:
  explicit Pieces(Grammar& grammar) : grammar_(grammar) {}

  Piece regex(RegexId id, uint32_t size = 1) const { return {true, id, size}; }
  Piece text(std::string_view text) { return regex(grammar_.regexes.literal(text)); }
  Piece nothing() const { return regex(RegexSet::kNothing, 0); }
  Piece empty() const { return regex(RegexSet::kEmpty, 0); }
  Piece rule(RuleId id) { return {false, grammar_.rule(id)}; }

  Piece sequence(std::span<const Piece> parts);
  Piece any_of(std::span<const Piece> parts);
  Piece optional(const Piece& piece) { return repeat(piece, 0, 1); }
  Piece repeat(const Piece& piece, int64_t min, int64_t max);
  ExprId expr(const Piece& piece) { return piece.regular ? grammar_.terminal(piece.id) : piece.id; }

 private:
  Grammar& grammar_;
};

}  // namespace skald
