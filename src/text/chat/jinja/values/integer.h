// Python's integers beyond 64 bits, on top of GMP, with a bound on their size.
#pragma once

#include <gmp.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skald::jinja {

/// A whole number of at most kMaxBits bits; results beyond are a Failure (kOverflow).
class Integer {
 public:
  static constexpr size_t kMaxBits = size_t{1} << 18;

  Integer() { mpz_init(z_); }
  explicit Integer(int64_t value);
  /// Of a finite number; digits after the point are dropped.
  explicit Integer(double value);
  Integer(const Integer& other) { mpz_init_set(z_, other.z_); }
  Integer(Integer&& other) noexcept {
    mpz_init(z_);
    mpz_swap(z_, other.z_);
  }
  Integer& operator=(const Integer& other) {
    mpz_set(z_, other.z_);
    return *this;
  }
  Integer& operator=(Integer&& other) noexcept {
    mpz_swap(z_, other.z_);
    return *this;
  }
  ~Integer() { mpz_clear(z_); }

  /// `digits`: at least one digit of the base (2 to 36), no sign.
  static Integer parse(std::string_view digits, int base);

  bool is_negative() const { return mpz_sgn(z_) < 0; }
  bool is_zero() const { return mpz_sgn(z_) == 0; }
  bool is_odd() const { return mpz_odd_p(z_) != 0; }
  size_t bits() const { return is_zero() ? 0 : mpz_sizeinbase(z_, 2); }
  /// Returns the value where 64 bits hold it.
  std::optional<int64_t> small() const;
  /// Returns the nearest double; infinite beyond all of them.
  double to_double() const;
  /// Digits of the base with a sign before negative ones.
  std::string text(int base = 10) const;

  Integer operator-() const;
  friend Integer operator+(const Integer& a, const Integer& b);
  friend Integer operator-(const Integer& a, const Integer& b);
  friend Integer operator*(const Integer& a, const Integer& b);
  /// Rounded down, as Python does; `b` is not 0.
  friend Integer floor_div(const Integer& a, const Integer& b);
  friend Integer floor_mod(const Integer& a, const Integer& b);
  friend Integer power(const Integer& a, uint64_t exponent);
  /// a / b as the nearest double; `b` is not 0.
  friend double true_div(const Integer& a, const Integer& b);
  friend int compare(const Integer& a, const Integer& b) { return mpz_cmp(a.z_, b.z_); }

 private:
  Integer&& checked() &&;

  mpz_t z_;
};

Integer floor_div(const Integer& a, const Integer& b);
Integer floor_mod(const Integer& a, const Integer& b);
Integer power(const Integer& a, uint64_t exponent);
double true_div(const Integer& a, const Integer& b);

}  // namespace skald::jinja
