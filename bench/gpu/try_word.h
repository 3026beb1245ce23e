// What a word of simt gives on a device.
#pragma once

#include <random>
#include <vector>

#include "backend/gpu/memory.h"
#include "bench/gpu/words.h"

namespace skald::gpu {

/// (threads of all blocks, kWordOutputs), for the same random inputs on every device.
inline std::vector<uint32_t> try_word(Device& device, const Word& word) {
  constexpr size_t kThreads = size_t{kWordBlocks} * kWordThreads;
  std::mt19937 random(1);
  std::vector<uint32_t> in(kThreads * kWordInputs), out(kThreads * kWordOutputs);
  for (uint32_t& w : in) w = static_cast<uint32_t>(random());
  const auto bytes = [](const std::vector<uint32_t>& v) { return std::ssize(v) * static_cast<int64_t>(sizeof(uint32_t)); };
  const GpuBuffer given(device, bytes(in), Use::kWeights), got(device, bytes(out), Use::kWork),
      counter(device, sizeof(int), Use::kWork);
  device.write(given.data(), reinterpret_cast<const std::byte*>(in.data()), bytes(in));
  word.launch(device.stream(), {reinterpret_cast<const uint32_t*>(given.data()), reinterpret_cast<uint32_t*>(got.data()),
                                reinterpret_cast<int*>(counter.data())});
  device.check_launches();
  device.read(reinterpret_cast<std::byte*>(out.data()), got.data(), bytes(out));
  return out;
}

}  // namespace skald::gpu
