#include "convert/tokenizers/piece_table.h"

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr float kUnusedScore = -10000;

}  // namespace

PieceTable::PieceTable(int64_t size) {
  if (size < 1 || size > kMaxPieces) fail(Errc::kBadFile, "a vocabulary of {} pieces: want 1 to {}", size, kMaxPieces);
  pieces_.resize(static_cast<size_t>(size));
}

bool PieceTable::has_row(int64_t id) {
  if (id < 0) fail(Errc::kBadFile, "piece with the id {}", id);
  if (id < size()) return true;
  ++left_out_;
  return false;
}

const Piece* PieceTable::find(int64_t id) const {
  if (id < 0 || id >= size()) return nullptr;
  const std::optional<Piece>& piece = pieces_[static_cast<size_t>(id)];
  return piece ? &*piece : nullptr;
}

std::optional<int64_t> PieceTable::find(std::string_view text) const {
  for (int64_t id = size() - 1; id >= 0; --id) {
    if (const Piece* piece = find(id); piece && piece->text == text) return id;
  }
  return std::nullopt;
}

void PieceTable::add(int64_t id, Piece piece) {
  if (const Piece* taken = find(id))
    fail(Errc::kBadFile, "two pieces with the id {}: {} and {}", id, skald::quoted(taken->text), skald::quoted(piece.text));
  replace(id, std::move(piece));
}

void PieceTable::replace(int64_t id, Piece piece) {
  if (has_row(id)) pieces_[static_cast<size_t>(id)] = std::move(piece);
}

std::vector<Piece> PieceTable::filled() const {
  std::vector<Piece> out;
  out.reserve(pieces_.size());
  for (const std::optional<Piece>& piece : pieces_) {
    out.push_back(piece ? *piece : Piece{fmt::format("[PAD{}]", out.size()), PieceKind::kUnused, kUnusedScore});
  }
  return out;
}

}  // namespace skald
