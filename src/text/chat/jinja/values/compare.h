// Python's ==, <, `in`, and the hashes of keys.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/chat/jinja/values/value.h"

namespace skald::jinja {

bool equal(const Value& a, const Value& b, Budget& budget);

/// -1, 0 or 1, and 2 where both are numbers of which one is not a number. Throws Failure (kType) with `op` in it where
/// Python has no order.
int order(const Value& a, const Value& b, std::string_view op, Budget& budget);
bool less(const Value& a, const Value& b, Budget& budget);

/// `item in container`.
bool contains(const Value& container, const Value& item, Budget& budget);

/// Equal keys have equal hashes: 1, 1.0 and True are one key. Throws Failure (kType) for a value that Python cannot hash.
size_t hash_of(const Value& key);
size_t hash_of(std::string_view key);

}  // namespace skald::jinja
