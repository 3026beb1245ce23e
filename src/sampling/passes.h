// Passes over arrays as long as a vocabulary, in vectors of the CPU: logits x, where kGone is what cannot come next, and
// weights w, which are 0 there. Arrays are padded with these to multiples of kLanes. The same bits on every CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skald {

/// Of the logits that are not gone.
struct Overview {
  float best = 0, least = 0;
  size_t count = 0;
  bool fine = true;  // no NaN, no +infinity
};
/// Of any number of logits.
Overview look_over(const float* x, size_t n);

/// w = exp((x - best) * scale) for x <= best; the sum of them.
double weigh(const float* x, size_t n, float best, float scale, float* w);
/// w *= factor: with the two above, a softmax.
void multiply(float* w, size_t n, float factor);

struct Kept {
  size_t count = 0;
  double total = 0;  // of w
  float best = 0;    // of x, kGone where none is left
};
/// Writes x to `to`, which may be x: logits below `least` are gone. w may be null.
Kept keep_at_least(const float* x, float* to, float* w, size_t n, float least);
/// Those no nearer than `distance` to `from`, or no farther, are gone. w may be null.
Kept keep_nearer(const float* x, float* to, float* w, size_t n, float from, float distance);
Kept keep_farther(const float* x, float* to, float* w, size_t n, float from, float distance);

/// Buckets of distances from a logit: min((|x - from| - near) * per_unit, last), for distances of at least `near`.
struct Buckets {
  static constexpr size_t kWays = 4;  // neighbours are added up apart, so that none waits for the one before
  float from = 0, near = 0, per_unit = 1;
  int last = 0;
};
/// Adds w, or 1 where w is null, to sums[bucket * kWays + way] for what is not gone.
void add_to_buckets(const float* x, const float* w, size_t n, const Buckets& buckets, double* sums);

/// Distances from a logit, from `near` to `far`, both within.
struct Band {
  float from = 0, near = 0, far = 0;
};
struct Listed {
  size_t count = 0;   // of the indices
  double before = 0;  // w, or 1 where w is null, of what is nearer than the band
};
/// The indices of what lies in the band and is not gone, in order. Writes up to kLanes more than there are.
Listed list_band(const float* x, const float* w, size_t n, const Band& band, int32_t* places);

size_t count_at_least(const float* x, size_t n, float least);
/// The first indices of logits of at least `least`, in order: as many as fit in `places` less kLanes; their number.
size_t list_at_least(const float* x, size_t n, float least, std::span<int32_t> places);

/// Sum of w * (x - best) over what is not gone.
double sum_products(const float* x, const float* w, size_t n, float best);

/// Sums of x - best and of its square over what is not gone.
struct Moments {
  double sum = 0, squares = 0;
};
Moments moments_of(const float* x, size_t n, float best);

/// The first index up to which the sum of w is above `target`; the last one with a weight where it never is.
size_t find_mass(const float* w, size_t n, double target);

/// x = 5 - 10 d^2 / (1 + d) with d = |w * per_weight - goal| / 0.3, where it is not gone; the largest of them.
float favour(float* x, const float* w, size_t n, float per_weight, float goal);

/// Moves what is not gone to the front, in order, and gives its number; ids were 0 to n - 1 where `numbered`. w may be null.
size_t compact(float* x, float* w, int32_t* ids, size_t n, bool numbered);

}  // namespace skald
