// StagePlace: where a rank stands among stages that compute one after the other, each of them on as many ranks.
#pragma once

#include <cstddef>

namespace skald {

struct StagePlace {
  int stages = 1;  // of the model's layers
  int ranks = 1;   // of each stage, which share its matrices
  int stage = 0, rank = 0;

  /// `rank` of all ranks: those of the first stage are the first ones.
  static StagePlace of(int rank, int size, int stages) {
    const int ranks = size / stages;
    return {stages, ranks, rank / ranks, rank % ranks};
  }
  int first_of(int stage) const { return stage * ranks; }
  /// Returns, of all ranks, the one with this rank's place in another stage.
  int peer_in(int stage) const { return first_of(stage) + rank; }
};

}  // namespace skald
