// Random keys and values, so that attention at a depth can be timed without computing the tokens before it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "stepping/compute.h"
#include "tensor/buffer.h"

namespace skald {

class RandomKv {
 public:
  /// `compute` must outlive it.
  explicit RandomKv(Compute& compute);

  /// Appends random keys and values to all layers of `sequence`, of compute's runner, until it holds `n`: as a step does,
  /// with all that the cache keeps beside them. Throws kNoMemory when the pages do not suffice; the sequence is then empty.
  void extend(KvSequence& sequence, int64_t n);

 private:
  static constexpr int64_t kRows = 4096;  // of a layer's tables

  Graph graph(int64_t rows) const;
  const std::byte* weight(std::string_view name) const;
  void append(KvSequence& sequence, int64_t rows);

  Compute& compute_;
  std::vector<AttentionState> layers_;
  Buffer k_, v_;  // f32 (kRows + layers, widest layer): layer l uses rows from l on, so that layers differ
  int64_t chunk_;
  std::shared_ptr<const DeviceWeights> weights_;
  std::unique_ptr<Program> program_;  // appends `chunk_` rows at most
};

}  // namespace skald
