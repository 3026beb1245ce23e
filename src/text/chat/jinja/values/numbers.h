// Python's arithmetic and how it writes numbers.
#pragma once

#include <string>
#include <string_view>

#include "text/chat/jinja/values/objects.h"

namespace skald::jinja {

/// Of an integer value of any size.
Integer integer_of(const Value& value);
/// As a C index: too large ones become the largest. Throws Failure (kType) for a value that is no integer, with `what` in
/// it.
int64_t index_of(const Value& value, std::string_view what = "object");
double float_of(const Value& number);

enum class Operator : uint8_t { kAdd, kSub, kMul, kDiv, kFloorDiv, kMod, kPow };
/// "+".
std::string_view sign_of(Operator op);

/// Of two numbers. Throws Failure (kZeroDivision, kOverflow).
Value calculate(Heap& heap, Operator op, const Value& a, const Value& b);
Value negate(Heap& heap, const Value& number);
Value absolute(Heap& heap, const Value& number);
/// Python's round().
Value rounded(Heap& heap, const Value& number, int64_t digits);

/// repr() of a float: the shortest text that reads back the same.
std::string float_text(double value);
/// Of an integer; Python refuses more than 4300 digits.
std::string integer_text(const Value& value);

/// int(text, base) and float(text); Missing or false where Python raises ValueError.
Value parse_integer(Heap& heap, std::string_view text, int64_t base);
bool parse_float(std::string_view text, double& out);
/// int(float). Throws Failure (kOverflow, kValue).
Value truncated(Heap& heap, double value);

}  // namespace skald::jinja
