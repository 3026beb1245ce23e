#include <charconv>
#include <cmath>

#include "base/number_from_chars.h"
#include "text/chat/jinja/run/protocol.h"
#include "text/chat/jinja/values/numbers.h"

namespace skald::jinja {
namespace {

// Rounds half to even at 10^digits, digits < 0.
Value rounded_integer(Heap& heap, const Value& number, int64_t digits) {
  const Integer value = integer_of(number);
  if (-digits > static_cast<int64_t>(value.bits())) return Value::of(int64_t{0});  // 10^n is far above it
  const Integer unit = power(Integer(int64_t{10}), static_cast<uint64_t>(-digits));
  Integer down = floor_div(value, unit) * unit;
  const Integer twice = (value - down) + (value - down);
  const int side = compare(twice, unit);
  if (side > 0 || (side == 0 && floor_div(down, unit).is_odd())) down = down + unit;
  return make_integer(heap, std::move(down));
}

// The exact decimal digits decide, as in Python.
double rounded_float(double value, int64_t digits) {
  if (!std::isfinite(value) || value == 0 || digits > 340) return value;
  if (digits < -310) return std::copysign(0.0, value);
  char text[1024];
  if (digits >= 0) {
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, static_cast<int>(digits)).ptr;
    double out = value;
    number_from_chars(text, end, out);
    return out;
  }
  const auto exponent = static_cast<int64_t>(std::floor(std::log10(std::fabs(value))));
  const int64_t kept = exponent + digits;  // digits after the first one
  double out = 0;
  if (kept >= 0) {
    const auto end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, static_cast<int>(kept)).ptr;
    number_from_chars(text, end, out);
    return out;
  }
  const double unit = std::pow(10.0, static_cast<double>(-digits));
  return std::copysign(std::fabs(value) > unit / 2 ? unit : 0.0, value);
}

}  // namespace

Value rounded(Heap& heap, const Value& number, int64_t digits) {
  if (number.is(Kind::kFloat)) return Value::of(rounded_float(number.real(), digits));
  if (digits >= 0) return number.is(Kind::kBool) ? Value::of(number.integer()) : number;
  return rounded_integer(heap, number, digits);
}

}  // namespace skald::jinja
