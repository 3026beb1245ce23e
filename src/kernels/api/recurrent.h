// Kernels on the state of a recurrent layer's head: a matrix (n, d) of floats. Each token adds a product of a key (n) and a
// value (d) to it, and reads it by a query (n).
#pragma once

#include <cstdint>

namespace skald {

struct UpdateStateArgs {
  float* state;          // (n, d)
  const float* decay;    // (n): the share of each row that is left
  const float* keys;     // (n)
  const float* values;   // (d)
  const float* queries;  // (n)
  float* out;            // (d)
  int64_t n, d;
};

/// state[i] = decay[i] * state[i] + keys[i] * values; then out = sum over i of queries[i] * state[i].
using UpdateStateFn = void (*)(const UpdateStateArgs& a) noexcept;

/// The same for `tokens` one after the other, each of which decays all rows alike. Rows of keys and queries (tokens, n) and
/// of values and out (tokens, d) lie this many floats apart.
struct ScanStateArgs {
  float* state;         // (n, d)
  const float* decays;  // (tokens)
  const float *keys, *queries, *values;
  float* out;
  int64_t key_stride, query_stride, value_stride, out_stride;
  int64_t tokens, n, d;
};
using ScanStateFn = void (*)(const ScanStateArgs& a) noexcept;

/// out[c] = bias[c] + sum over t of weights[t, c] * rows[t][c], of n channels.
struct ConvRowArgs {
  const float* const* rows;  // (taps)
  const float* weights;      // (taps, stride)
  const float* bias;         // (n)
  float* out;                // (n)
  int64_t taps, stride, n;
};
using ConvRowFn = void (*)(const ConvRowArgs& a) noexcept;

/// y (d) = sum over i of w[i] * state[i].
using ReadStateFn = void (*)(const float* state, const float* w, float* y, int64_t n, int64_t d) noexcept;

}  // namespace skald
