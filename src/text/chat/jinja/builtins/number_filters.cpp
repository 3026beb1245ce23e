// Filters that give numbers, or texts of them.
#include <cmath>

#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {
namespace {

Value abs(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("abs", arguments, {}, 0);
  if (operand.is_undefined()) raise(ErrorKind::kType, "bad operand type for abs(): 'Undefined'");
  if (!operand.is_number()) raise(ErrorKind::kType, "bad operand type for abs(): '{}'", type_name(operand));
  return absolute(in.heap(), operand);
}

// float(value); false where Python raises TypeError or ValueError.
bool as_float(const Value& value, double& out) {
  if (value.is_undefined()) value.as<Undefined>().fail();
  if (value.is_text()) return parse_float(value.as<Text>().bytes(), out);
  if (!value.is_number()) return false;
  out = float_of(value);
  return true;
}

Value to_int(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("int", arguments, {"default", "base"}, 0);
  const Value otherwise = a[0].is_missing() ? Value::of(int64_t{0}) : a[0];
  if (operand.is_undefined()) operand.as<Undefined>().fail();
  if (operand.is_integer()) return operand.is(Kind::kBool) ? Value::of(operand.integer()) : operand;
  try {
    if (operand.is_text()) {
      const int64_t base = a[1].is_missing() ? 10 : index_of(a[1]);
      Value out =
          base != 0 && (base < 2 || base > 36) ? Value() : parse_integer(in.heap(), operand.as<Text>().bytes(), base);
      if (!out.is_missing()) return out;
    }
    double number = 0;
    if (!as_float(operand, number)) return otherwise;
    return truncated(in.heap(), number);
  } catch (const Failure& failure) {
    if (failure.is(ErrorKind::kType) || failure.is(ErrorKind::kValue) ||
        (failure.is(ErrorKind::kOverflow) && operand.is_text()))
      return otherwise;
    throw;
  }
}

Value to_float(Interpreter&, const Value& operand, Arguments& arguments) {
  const auto a = bind("float", arguments, {"default"}, 0);
  double out = 0;
  if (as_float(operand, out)) return Value::of(out);
  return a[0].is_missing() ? Value::of(0.0) : a[0];
}

// 10 ** precision as Python has it: whole, or a float for a negative one.
Value power_of_ten(Heap& heap, int64_t precision) {
  return calculate(heap, Operator::kPow, Value::of(int64_t{10}), Value::of(precision));
}

Value round(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("round", arguments, {"precision", "method"}, 0);
  Heap& heap = in.heap();
  const std::string method = a[1].is_missing() ? "common" : a[1].is_text() ? a[1].as<Text>().bytes() : "";
  if (method != "common" && method != "ceil" && method != "floor")
    raise(ErrorKind::kFilterArgument, "method must be common, ceil or floor");
  if (operand.is_undefined()) raise(ErrorKind::kType, "type Undefined doesn't define __round__ method");
  if (!operand.is_number()) raise(ErrorKind::kType, "type {} doesn't define __round__ method", type_name(operand));
  if (method == "common" && a[0].is_none()) {  // round(value, None) is round(value)
    if (!operand.is(Kind::kFloat)) return rounded(heap, operand, 0);
    return truncated(heap, std::nearbyint(operand.real()));
  }
  const int64_t precision = a[0].is_missing() ? 0 : index_of(a[0]);
  if (method == "common") return rounded(heap, operand, precision);
  if (precision > 4000 || precision < -4000) raise(ErrorKind::kOverflow, "int too large to convert to float");
  const Value power = power_of_ten(heap, precision);
  const Value scaled = calculate(heap, Operator::kMul, operand, power);
  Value whole = scaled;
  if (scaled.is(Kind::kFloat))
    whole = truncated(heap, method == "ceil" ? std::ceil(scaled.real()) : std::floor(scaled.real()));
  return calculate(heap, Operator::kDiv, whole, power);
}

Value file_size(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("filesizeformat", arguments, {"binary"}, 0);
  const bool binary = !a[0].is_missing() && truth(a[0]);
  double bytes = 0;
  if (!as_float(operand, bytes)) {
    if (operand.is_text()) raise(ErrorKind::kValue, "could not convert string to float");
    raise(ErrorKind::kType, "float() argument must be a string or a real number, not '{}'", type_name(operand));
  }
  const double base = binary ? 1024 : 1000;
  if (bytes == 1) return make_text(in.heap(), "1 Byte", true);
  if (bytes < base) {
    const Value whole = truncated(in.heap(), bytes);
    return make_text(in.heap(), integer_text(whole) + " Bytes", true);
  }
  constexpr const char* kDecimal[] = {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
  constexpr const char* kBinary[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
  double unit = base;
  size_t i = 0;
  for (;; ++i) {
    unit *= base;
    if (bytes < unit || i == 7) break;
  }
  return make_text(in.heap(), fmt::format("{:.1f} {}", base * bytes / unit, (binary ? kBinary : kDecimal)[i]), true);
}

constexpr Builtin kFilters[] = {
    {"abs", abs}, {"int", to_int}, {"float", to_float}, {"round", round}, {"filesizeformat", file_size},
};

}  // namespace

std::span<const Builtin> number_filters() { return kFilters; }

}  // namespace skald::jinja
