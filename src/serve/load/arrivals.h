// Arrivals: when the requests of an open load come.
#pragma once

#include <cstdint>
#include <random>

namespace skald::serve {

/// Times between arrivals are drawn from a gamma distribution whose mean is 1 / rate. Burstiness, its shape, is 1 for a
/// Poisson process; less comes in bursts, more comes evenly (as in `vllm bench serve`).
class Arrivals {
 public:
  /// `rate`: requests a second; infinite: all come at once.
  Arrivals(double rate, double burstiness, uint64_t seed);
  /// Returns the seconds after the beginning, never less than the last one's.
  double next();

 private:
  bool at_once_;
  std::mt19937_64 random_;
  std::gamma_distribution<double> gap_;
  double at_ = 0;
};

}  // namespace skald::serve
