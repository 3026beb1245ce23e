// Batches: many pieces between the host and a card through one pinned buffer, with one wait for each filling of it.
#pragma once

#include <span>
#include <vector>

#include "backend/cuda/handles.h"

namespace skald::gpu {

class Batches {
 public:
  using Piece = Device::Piece;
  /// Copies are in order with what `stream` has.
  Batches(const Card& card, cudaStream_t stream);
  void read(std::span<const Piece> pieces);
  void write(std::span<const Piece> pieces);
  /// Within the card.
  void copy(std::span<const Piece> pieces);

 private:
  void start(const Piece& piece, cudaMemcpyKind kind);
  void wait();

  const Card& card_;
  cudaStream_t stream_;
  PinnedBytes buffer_;
  std::vector<Piece> read_;  // from the buffer to the host, once they are there
};

}  // namespace skald::gpu
