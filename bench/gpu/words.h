// Each word of simt in a kernel of its own, to be compared on a card and on the host.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/gpu/simt_types.h"

namespace skald::gpu {

inline constexpr int kWordBlocks = 3, kWordThreads = 64, kWordInputs = 8, kWordOutputs = 4;  // words of 32 bits of a thread

struct WordArgs {
  const uint32_t* in = nullptr;  // (threads of all blocks, kWordInputs)
  uint32_t* out = nullptr;       // (threads of all blocks, kWordOutputs)
  int* counter = nullptr;        // 0
};

struct Word {
  std::string_view name;
  void (*launch)(simt::Stream, const WordArgs&);
  bool rounds = false;  // floats, which may differ by some roundings; else all bits are the same
};

/// All of a device's, in one order.
template <class Target>
std::vector<Word> words();

}  // namespace skald::gpu
