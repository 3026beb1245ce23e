// PieceTable: the pieces of a tokenizer by their ids, as many as the model's embedding has rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocab.h"

namespace skald {

inline constexpr int64_t kMaxPieces = int64_t{1} << 24;  // the largest vocabularies have 2^18

struct Piece {
  std::string text;
  PieceKind kind = PieceKind::kNormal;
  float score = 0;
};

class PieceTable {
 public:
  /// Throws kBadFile for a size that no vocabulary has.
  explicit PieceTable(int64_t size);

  int64_t size() const { return static_cast<int64_t>(pieces_.size()); }
  /// Returns nullptr where no piece was put, and outside of the table.
  const Piece* find(int64_t id) const;
  /// Finds the id of a piece: of equal ones the last.
  std::optional<int64_t> find(std::string_view text) const;

  /// Puts a piece where none may be. The model has no row for ids above the table: those are counted and forgotten. Throws
  /// kBadFile for a negative id and for one that is taken.
  void add(int64_t id, Piece piece);
  /// The same for an id that may be taken: the new piece replaces the old one.
  void replace(int64_t id, Piece piece);

  /// Returns how many ids were above the table.
  int64_t left_out() const { return left_out_; }

  /// Returns all pieces; where none was put, an unused one that is called [PAD<id>].
  std::vector<Piece> filled() const;

 private:
  bool has_row(int64_t id);

  std::vector<std::optional<Piece>> pieces_;
  int64_t left_out_ = 0;
};

}  // namespace skald
