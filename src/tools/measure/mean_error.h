// MeanError: the mean of values with its standard error; MeanPair: of two that vary together.
#pragma once

#include <cmath>
#include <cstdint>

namespace skald {

class MeanError {
 public:
  void add(double value) {
    ++n_;
    // Welford's: no difference of large sums.
    const double above = value - mean_;
    mean_ += above / static_cast<double>(n_);
    squares_ += above * (value - mean_);
  }
  int64_t count() const { return n_; }
  double mean() const { return mean_; }
  /// Of the mean; 0 for fewer than two values.
  double error() const { return n_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(n_) / static_cast<double>(n_ - 1)); }

 private:
  int64_t n_ = 0;
  double mean_ = 0, squares_ = 0;
};

class MeanPair {
 public:
  void add(double a, double b) {
    const double above = a - a_.mean();
    a_.add(a);
    b_.add(b);
    difference_.add(a - b);
    products_ += above * (b - b_.mean());
  }
  const MeanError& a() const { return a_; }
  const MeanError& b() const { return b_; }
  /// Of the two means; 0 for fewer than two values.
  double covariance() const {
    const auto n = static_cast<double>(a_.count());
    return n < 2 ? 0 : products_ / n / (n - 1);
  }
  /// -1 to 1; 0 where one of them never changes.
  double correlation() const {
    const double both = a_.error() * b_.error();
    return both > 0 ? covariance() / both : 0;
  }
  /// a - b.
  const MeanError& difference() const { return difference_; }

 private:
  MeanError a_, b_, difference_;
  double products_ = 0;
};

}  // namespace skald
