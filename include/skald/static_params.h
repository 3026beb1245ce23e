// StaticParams: execution with fixed shapes, as accelerators with static graphs want it. The model is compiled for a window
// of keys that slides by one token per step; its memory has a reserve in which it slides without being copied.
#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace skald {

struct StaticParams {
  int64_t context = 0;   // keys that a token sees, its own among them; 0: off, shapes grow with the text
  double reserve = 2.0;  // memory of a window, as a multiple of it: 2.0 or 1.5
  int64_t bits = 16;     // of a cached number: 16 (f16) or 8 (integers)
  /// Gives the value of an integer's 1: one number for all, two (keys, values), or two for each layer. Empty: calibrated
  /// from the beginning of each request's prompt.
  std::vector<float> scales;

  bool on() const { return context != 0; }
  /// Throws Error (kBadInput) naming the parameter that is out of range.
  void check() const;
};

/// Counts the memory of a static cache, and its work for the last request.
struct StaticUse {
  int64_t context = 0, bits = 0;
  double reserve = 0;
  int64_t bytes = 0;          // of all reserves
  int64_t tokens = 0;         // appended
  int64_t shifts = 0;         // of the windows: one per step
  int64_t copies = 0;         // shifts that had to copy the windows to the reserves' beginning
  int64_t copied_bytes = 0;   // by them
  std::vector<float> scales;  // of 8 bits: keys and values of each layer

  double copied_bytes_per_token() const {
    return tokens ? static_cast<double>(copied_bytes) / static_cast<double>(tokens) : 0;
  }
};

}  // namespace skald
#pragma GCC visibility pop
