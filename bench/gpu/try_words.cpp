// Runs each word of simt on a card and on the host, and tells where the two differ.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "backend/cuda/cuda_device.h"
#include "backend/simt/simt_device.h"
#include "bench/gpu/commands.h"
#include "bench/gpu/try_word.h"

namespace skald::gpu {
namespace {

constexpr float kLimit = 2e-6f;  // of floats that are rounded, of their size

bool alike(uint32_t a, uint32_t b, bool rounds) {
  if (a == b) return true;
  const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  return rounds && std::abs(x - y) <= kLimit * std::max(std::abs(x), std::abs(y));
}

}  // namespace

int try_words() {
  CudaDevice card(0);
  SimtDevice host;
  const std::vector<Word> on_card = words<simt::CudaTarget>(), on_host = words<simt::HostTarget>();
  int wrong = 0;
  for (size_t i = 0; i < on_card.size(); ++i) {
    const std::vector<uint32_t> got = try_word(card, on_card[i]), want = try_word(host, on_host[i]);
    size_t differing = 0;
    for (size_t j = 0; j < got.size(); ++j) differing += !alike(got[j], want[j], on_host[i].rounds);
    fmt::print("{:60} {}\n", on_host[i].name, differing ? fmt::format("{} of {} differ", differing, got.size()) : "ok");
    wrong += differing > 0;
  }
  return wrong;
}

}  // namespace skald::gpu
