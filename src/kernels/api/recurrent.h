// Kernels on the state of a recurrent layer's head: a matrix (n, d) of floats, to which each token adds a product of a key
// (n) and a value (d), and which it reads by a query (n).
#pragma once

#include <cstdint>

namespace skald {

struct UpdateStateArgs {
  float* state;          // (n, d)
  const float* decay;    // (n): what is left of each row
  const float* keys;     // (n)
  const float* values;   // (d)
  const float* queries;  // (n)
  float* out;            // (d)
  int64_t n, d;
};

/// state[i] = decay[i] * state[i] + keys[i] * values; then out = sum over i of queries[i] * state[i].
using UpdateStateFn = void (*)(const UpdateStateArgs& a) noexcept;

/// y (d) = sum over i of w[i] * state[i].
using ReadStateFn = void (*)(const float* state, const float* w, float* y, int64_t n, int64_t d) noexcept;

}  // namespace skald
