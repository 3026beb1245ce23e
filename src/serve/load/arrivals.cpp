#include "serve/load/arrivals.h"

#include <cmath>

namespace skald::serve {

Arrivals::Arrivals(double rate, double burstiness, uint64_t seed)
    : at_once_(std::isinf(rate)), random_(seed), gap_(burstiness, at_once_ ? 1 : 1 / (rate * burstiness)) {}

double Arrivals::next() { return at_once_ ? 0 : at_ += gap_(random_); }

}  // namespace skald::serve
