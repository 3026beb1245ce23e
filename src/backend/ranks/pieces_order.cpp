#include "backend/ranks/pieces_order.h"

namespace skald {

void PiecesWriter::write(ByteWriter& to, const Graph& graph, const StepPieces& step, bool whole) {
  const size_t n = step.pieces.size();
  to.put(n);
  to.put(whole);
  while (writers_.size() < n) writers_.emplace_back();
  for (size_t i = 0; i < n; ++i) writers_[i].write(to, graph, step.pieces[i]);
  if (whole && n > 1) whole_.write(to, graph, *step.whole);
}

StepPieces PiecesReader::read(ByteReader& from, const Graph& graph, const FollowerMemory& memory) {
  const auto n = from.take<size_t>();
  const auto whole = from.take<bool>();
  while (readers_.size() < n) readers_.emplace_back();
  pieces_.clear();
  for (size_t i = 0; i < n; ++i) pieces_.push_back(readers_[i].read(from, graph, memory));
  if (!whole) return {pieces_, nullptr};
  return {pieces_, n > 1 ? &whole_.read(from, graph, memory) : &pieces_.front()};
}

}  // namespace skald
