// Pooling: how the states of a text's tokens become one vector.
#pragma once

#include <cstdint>

namespace skald {

/// Lists GGUF's kinds of pooling, by its numbers.
enum class Pooling : uint8_t {
  kNone = 0,  // not at all: a vector for each token
  kMean = 1,
  kCls = 2,   // the first token's
  kLast = 3,  // the last token's
  kRank = 4,  // a classifier's score of one of these
};

}  // namespace skald
