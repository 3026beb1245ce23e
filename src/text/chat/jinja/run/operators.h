// The operators + - * / and others on values of all types, and slices.
#pragma once

#include "text/chat/jinja/run/protocol.h"
#include "text/chat/jinja/values/numbers.h"

namespace skald::jinja {

Value operate(Heap& heap, Operator op, const Value& a, const Value& b);
Value positive(Heap& heap, const Value& value);
Value negative(Heap& heap, const Value& value);

/// obj[start:stop:step]; None where a part is not given.
Value slice_of(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step);

/// Returns a text repeated.
Value repeated(Heap& heap, const Value& sequence, int64_t times);
/// Two texts after each other.
Value joined(Heap& heap, const Text& a, const Text& b);

}  // namespace skald::jinja
