#include "text/chat/jinja/values/numbers.h"

#include <charconv>
#include <cmath>

#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {
namespace {

constexpr size_t kMostDigits = 4300;  // sys.get_int_max_str_digits()

Value divide_floats(double a, double b) {
  if (b == 0) raise(ErrorKind::kZeroDivision, "float division by zero");
  return Value::of(a / b);
}

// fmod has the sign of the dividend, Python's % that of the divisor.
double float_mod(double a, double b) {
  double mod = std::fmod(a, b);
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) mod += b;
  } else {
    mod = std::copysign(0.0, b);
  }
  return mod;
}

double float_floor_div(double a, double b) {
  const double mod = std::fmod(a, b);
  double div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(div);
  return div - whole > 0.5 ? whole + 1 : whole;
}

Value float_power(double a, double b) {
  if (a == 0 && b < 0) raise(ErrorKind::kZeroDivision, "0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
    raise(ErrorKind::kUnsupported, "a negative number to a power that is not whole gives a complex number");
  const double out = std::pow(a, b);
  if (std::isinf(out) && std::isfinite(a) && std::isfinite(b))
    raise(ErrorKind::kOverflow, "(34, 'Numerical result out of range')");
  return Value::of(out);
}

Value calculate_floats(Operator op, double a, double b) {
  switch (op) {
    case Operator::kAdd:
      return Value::of(a + b);
    case Operator::kSub:
      return Value::of(a - b);
    case Operator::kMul:
      return Value::of(a * b);
    case Operator::kDiv:
      return divide_floats(a, b);
    case Operator::kFloorDiv:
      if (b == 0) raise(ErrorKind::kZeroDivision, "float floor division by zero");
      return Value::of(float_floor_div(a, b));
    case Operator::kMod:
      if (b == 0) raise(ErrorKind::kZeroDivision, "float modulo");
      return Value::of(float_mod(a, b));
    case Operator::kPow:
      return float_power(a, b);
  }
  return {};
}

Value integer_power(Heap& heap, const Value& a, const Value& b) {
  const Integer exponent = integer_of(b);
  if (exponent.is_negative()) {
    const double base = float_of(a);
    if (base == 0) raise(ErrorKind::kZeroDivision, "0.0 cannot be raised to a negative power");
    return Value::of(std::pow(base, exponent.to_double()));
  }
  const Integer base = integer_of(a);
  const auto small = exponent.small();
  if (!small && base.bits() > 1) raise(ErrorKind::kOverflow, "an integer of more than {} bits", Integer::kMaxBits);
  heap.budget().spend_bytes(base.bits());
  return make_integer(heap, power(base, small ? static_cast<uint64_t>(*small) : exponent.is_odd() ? 3 : 2));
}

Value calculate_large(Heap& heap, Operator op, const Value& a, const Value& b) {
  const Integer x = integer_of(a), y = integer_of(b);
  heap.budget().spend_bytes((x.bits() + y.bits()) / 8 * (op == Operator::kAdd || op == Operator::kSub ? 1 : 16));
  switch (op) {
    case Operator::kAdd:
      return make_integer(heap, x + y);
    case Operator::kSub:
      return make_integer(heap, x - y);
    case Operator::kMul:
      return make_integer(heap, x * y);
    case Operator::kFloorDiv:
      return make_integer(heap, floor_div(x, y));
    case Operator::kMod:
      return make_integer(heap, floor_mod(x, y));
    case Operator::kDiv: {
      const double out = true_div(x, y);
      if (std::isinf(out)) raise(ErrorKind::kOverflow, "integer division result too large for a float");
      return Value::of(out);
    }
    case Operator::kPow:
      break;
  }
  return {};
}

bool is_exact(int64_t i) { return i >= -(int64_t{1} << 53) && i <= (int64_t{1} << 53); }

// Missing where 64 bits do not hold the result.
Value calculate_small(Operator op, int64_t a, int64_t b) {
  int64_t out = 0;
  switch (op) {
    case Operator::kAdd:
      return __builtin_add_overflow(a, b, &out) ? Value() : Value::of(out);
    case Operator::kSub:
      return __builtin_sub_overflow(a, b, &out) ? Value() : Value::of(out);
    case Operator::kMul:
      return __builtin_mul_overflow(a, b, &out) ? Value() : Value::of(out);
    case Operator::kDiv:
      return is_exact(a) && is_exact(b) ? Value::of(static_cast<double>(a) / static_cast<double>(b)) : Value();
    case Operator::kFloorDiv:
      if (b == -1) return a == INT64_MIN ? Value() : Value::of(-a);
      return Value::of(a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0));
    case Operator::kMod:
      if (b == -1) return Value::of(int64_t{0});
      return Value::of(a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0));
    case Operator::kPow:
      break;
  }
  return {};
}

void check_divisor(Operator op, const Value& b) {
  if (b.is(Kind::kBigInt) || b.integer() != 0) return;
  if (op == Operator::kDiv) raise(ErrorKind::kZeroDivision, "division by zero");
  if (op == Operator::kFloorDiv || op == Operator::kMod)
    raise(ErrorKind::kZeroDivision, "integer division or modulo by zero");
}

}  // namespace

Integer integer_of(const Value& value) {
  return value.is(Kind::kBigInt) ? value.as<BigInt>().value : Integer(value.integer());
}

int64_t index_of(const Value& value, std::string_view what) {
  if (value.is_undefined()) value.as<Undefined>().fail();
  if (value.is(Kind::kBigInt)) return value.as<BigInt>().value.is_negative() ? INT64_MIN : INT64_MAX;
  if (!value.is_integer()) raise(ErrorKind::kType, "'{}' {} cannot be interpreted as an integer", type_name(value), what);
  return value.integer();
}

double float_of(const Value& number) {
  if (number.is(Kind::kFloat)) return number.real();
  if (!number.is(Kind::kBigInt)) return static_cast<double>(number.integer());
  const double out = number.as<BigInt>().value.to_double();
  if (std::isinf(out)) raise(ErrorKind::kOverflow, "int too large to convert to float");
  return out;
}

std::string_view sign_of(Operator op) {
  constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "//", "%", "** or pow()"};
  return kSigns[static_cast<size_t>(op)];
}

Value calculate(Heap& heap, Operator op, const Value& a, const Value& b) {
  if (a.is(Kind::kFloat) || b.is(Kind::kFloat)) return calculate_floats(op, float_of(a), float_of(b));
  if (op == Operator::kPow) return integer_power(heap, a, b);
  check_divisor(op, b);
  if (!a.is(Kind::kBigInt) && !b.is(Kind::kBigInt)) {
    Value out = calculate_small(op, a.integer(), b.integer());
    if (!out.is_missing()) return out;
  }
  return calculate_large(heap, op, a, b);
}

Value negate(Heap& heap, const Value& number) {
  if (number.is(Kind::kFloat)) return Value::of(-number.real());
  if (!number.is(Kind::kBigInt) && number.integer() != INT64_MIN) return Value::of(-number.integer());
  return make_integer(heap, -integer_of(number));
}

Value absolute(Heap& heap, const Value& number) {
  if (number.is(Kind::kFloat)) return Value::of(std::fabs(number.real()));
  if (number.is(Kind::kBool)) return Value::of(number.integer());
  const bool negative = number.is(Kind::kBigInt) ? number.as<BigInt>().value.is_negative() : number.integer() < 0;
  return negative ? negate(heap, number) : number;
}

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const std::string_view all(text, static_cast<size_t>(end - text));
  const size_t e = all.find('e');
  int exponent = 0;
  std::from_chars(all.data() + e + (all[e + 1] == '+' ? 2 : 1), end, exponent);
  if (exponent < -4 || exponent >= 16) return std::string(all);
  std::string out(text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr);
  if (out.find('.') == std::string::npos) out += ".0";
  return out;
}

std::string integer_text(const Value& value) {
  if (!value.is(Kind::kBigInt)) return fmt::format("{}", value.integer());
  const BigInt& big = value.as<BigInt>();
  if (big.value.bits() > kMostDigits * 10 / 3)
    raise(ErrorKind::kValue, "Exceeds the limit ({} digits) for integer string conversion", kMostDigits);
  return big.value.text();
}

Value truncated(Heap& heap, double value) {
  if (std::isnan(value)) raise(ErrorKind::kValue, "cannot convert float NaN to integer");
  if (std::isinf(value)) raise(ErrorKind::kOverflow, "cannot convert float infinity to integer");
  if (std::fabs(value) < 9e18) return Value::of(static_cast<int64_t>(value));
  return make_integer(heap, Integer(std::trunc(value)));
}

}  // namespace skald::jinja
