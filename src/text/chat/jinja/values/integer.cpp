#include "text/chat/jinja/values/integer.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "text/chat/jinja/run/failure.h"

namespace skald::jinja {

static_assert(sizeof(long) == sizeof(int64_t));  // GMP's functions take longs

Integer::Integer(int64_t value) { mpz_init_set_si(z_, value); }

Integer::Integer(double value) { mpz_init_set_d(z_, value); }

Integer&& Integer::checked() && {
  if (bits() > kMaxBits) raise(ErrorKind::kOverflow, "an integer of more than {} bits", kMaxBits);
  return std::move(*this);
}

Integer Integer::parse(std::string_view digits, int base) {
  if (digits.size() > kMaxBits) raise(ErrorKind::kOverflow, "an integer of {} digits", digits.size());
  Integer out;
  mpz_set_str(out.z_, std::string(digits).c_str(), base);
  return std::move(out).checked();
}

std::optional<int64_t> Integer::small() const {
  if (!mpz_fits_slong_p(z_)) return std::nullopt;
  return mpz_get_si(z_);
}

double Integer::to_double() const {
  if (bits() <= 53) return mpz_get_d(z_);
  return std::strtod(text().c_str(), nullptr);  // GMP's own conversion cuts instead of rounding
}

std::string Integer::text(int base) const {
  std::string out(mpz_sizeinbase(z_, base) + 2, '\0');
  mpz_get_str(out.data(), base, z_);
  out.resize(out.find('\0'));
  return out;
}

Integer Integer::operator-() const {
  Integer out;
  mpz_neg(out.z_, z_);
  return out;
}

Integer operator+(const Integer& a, const Integer& b) {
  Integer out;
  mpz_add(out.z_, a.z_, b.z_);
  return std::move(out).checked();
}

Integer operator-(const Integer& a, const Integer& b) {
  Integer out;
  mpz_sub(out.z_, a.z_, b.z_);
  return std::move(out).checked();
}

Integer operator*(const Integer& a, const Integer& b) {
  if (a.bits() + b.bits() > Integer::kMaxBits + 1)
    raise(ErrorKind::kOverflow, "an integer of more than {} bits", Integer::kMaxBits);
  Integer out;
  mpz_mul(out.z_, a.z_, b.z_);
  return std::move(out).checked();
}

Integer floor_div(const Integer& a, const Integer& b) {
  Integer out;
  mpz_fdiv_q(out.z_, a.z_, b.z_);
  return out;
}

Integer floor_mod(const Integer& a, const Integer& b) {
  Integer out;
  mpz_fdiv_r(out.z_, a.z_, b.z_);
  return out;
}

Integer power(const Integer& a, uint64_t exponent) {
  const size_t bits = a.bits();
  if (bits > 1 && exponent > Integer::kMaxBits / (bits - 1))
    raise(ErrorKind::kOverflow, "an integer of more than {} bits", Integer::kMaxBits);
  Integer out;
  mpz_pow_ui(out.z_, a.z_, bits <= 1 ? exponent % 2 + (exponent != 0 ? 2 : 0) : exponent);
  return std::move(out).checked();
}

// A quotient of at least 65 bits and whether anything is left of the division round as the exact value does.
double true_div(const Integer& a, const Integer& b) {
  const auto shift = 66 - (static_cast<int64_t>(a.bits()) - static_cast<int64_t>(b.bits()));
  Integer top(a), bottom(b), quotient, rest;
  if (shift > 0) mpz_mul_2exp(top.z_, top.z_, static_cast<mp_bitcnt_t>(shift));
  if (shift < 0) mpz_mul_2exp(bottom.z_, bottom.z_, static_cast<mp_bitcnt_t>(-shift));
  mpz_tdiv_qr(quotient.z_, rest.z_, top.z_, bottom.z_);
  if (!rest.is_zero()) mpz_mul_2exp(quotient.z_, quotient.z_, 1);
  const bool sticky = !rest.is_zero();
  if (sticky) {  // one more bit, set
    if (quotient.is_negative())
      mpz_sub_ui(quotient.z_, quotient.z_, 1);
    else
      mpz_add_ui(quotient.z_, quotient.z_, 1);
  }
  return std::ldexp(quotient.to_double(), static_cast<int>(std::max<int64_t>(-shift - (sticky ? 1 : 0), -5000)));
}

}  // namespace skald::jinja
