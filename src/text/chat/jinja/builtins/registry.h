// The filters and tests that templates can name, a table per file.
#pragma once

#include <span>
#include <string_view>

#include "text/chat/jinja/run/function.h"

namespace skald::jinja {

struct Builtin {
  std::string_view name;
  Value (*function)(Interpreter& in, const Value& operand, Arguments& arguments);
};

/// Returns nullptr where there is none of this name.
const Builtin* find_filter(std::string_view name);
const Builtin* find_test(std::string_view name);

std::span<const Builtin> text_filters();
std::span<const Builtin> layout_filters();
std::span<const Builtin> html_filters();
std::span<const Builtin> list_filters();
std::span<const Builtin> order_filters();
std::span<const Builtin> map_filters();
std::span<const Builtin> number_filters();
std::span<const Builtin> value_filters();
std::span<const Builtin> value_tests();

}  // namespace skald::jinja
