// What tests of kernels on the host share: single launches, and the orders in which machines run them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/gpu/host/machine.h"
#include "kernels/gpu/simt.h"

namespace skald::test {

// The thread sanitizer reports a planted race in every order, and takes its time to make threads.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kFindsRaces = true;
#else
inline constexpr bool kFindsRaces = false;
#endif

/// One launch on a machine of its own.
template <auto kKernel, class Args>
void run_kernel(const simt::Shape& shape, const Args& args, const simt::host::MachineOptions& options = {}) {
  simt::host::Machine machine(options);
  simt::launch<kKernel>(machine.stream(), shape, args);
  machine.run();
}

inline std::vector<uint32_t> random_words(size_t n, uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<uint32_t> out(n);
  std::ranges::generate(out, bits);
  return out;
}

inline const simt::host::MachineOptions kOneOfEachOrder[] = {
    {.threads = simt::host::Order::kForward},
    {.threads = simt::host::Order::kBackward, .blocks_backward = true},
    {.threads = simt::host::Order::kRandom}};

/// All orders of threads, several seeds of random ones, and blocks both ways.
inline std::vector<simt::host::MachineOptions> all_orders() {
  using simt::host::Order;
  std::vector<simt::host::MachineOptions> out;
  for (const bool backward : {false, true}) {
    out.push_back({.threads = Order::kForward, .blocks_backward = backward});
    out.push_back({.threads = Order::kBackward, .blocks_backward = backward});
    for (uint64_t seed = 1; seed <= (kFindsRaces ? 2 : 5); ++seed)
      out.push_back({.threads = Order::kRandom, .blocks_backward = backward, .seed = seed});
  }
  return out;
}

inline std::string order_name(const simt::host::MachineOptions& options) {
  const char* const names[] = {"forward", "backward", "random "};
  return names[static_cast<size_t>(options.threads)] +
         (options.threads == simt::host::Order::kRandom ? std::to_string(options.seed) : "") +
         (options.blocks_backward ? ", blocks backward" : "");
}

}  // namespace skald::test
