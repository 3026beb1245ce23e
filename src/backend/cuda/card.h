// Card: a GPU as CUDA's runtime counts them, and errors of its calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "backend/gpu/device.h"

namespace skald::gpu {

/// The cards that kernels were compiled for, by their numbers in CUDA's order; and, where there are none, why.
struct Cards {
  std::vector<int> numbers;
  std::string missing;
};
Cards find_cards();
/// The same, asked for once: a card that comes or goes is not seen.
const Cards& cards();

class Card {
 public:
  /// The card of `cards()` with this index.
  explicit Card(size_t index) : index_(index), number_(cards().numbers.at(index)) {}

  std::string name() const;  // "cuda0"
  /// Calls of this thread are for this card from here on.
  void use() const;
  /// Throws kDevice naming the call where it failed.
  void check(cudaError_t result, std::string_view call) const;
  DeviceInfo info() const;

 private:
  size_t index_;
  int number_;
};

}  // namespace skald::gpu
