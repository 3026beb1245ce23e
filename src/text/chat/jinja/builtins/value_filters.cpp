// Filters for all values: default, tojson, pprint.
#include "text/chat/jinja/builtins/json.h"
#include "text/chat/jinja/builtins/pretty.h"
#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {
namespace {

Value otherwise(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("default", arguments, {"default_value", "boolean"}, 0);
  const bool boolean = !a[1].is_missing() && truth(a[1]);
  if (!operand.is_undefined() && !(boolean && !truth(operand))) return operand;
  return a[0].is_missing() ? make_text(in.heap(), "", true) : a[0];
}

const std::string& separator_of(const Value& value) {
  if (!value.is_text()) raise(ErrorKind::kType, "a separator must be a str, not {}", type_name(value));
  return value.as<Text>().bytes();
}

// transformers' filter: json.dumps() without escapes for HTML.
Value to_json(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"}, 0);
  Heap& heap = in.heap();
  JsonStyle style;
  bool trusted = true;
  style.ascii = !a[0].is_missing() && truth(a[0]);
  style.sort_keys = !a[3].is_missing() && truth(a[3]);
  if (!a[1].is_missing() && !a[1].is_none()) {
    const Value indent = a[1].is_text() ? a[1] : repeated(heap, make_text(heap, " ", true), index_of(a[1]));
    style.indent = indent.as<Text>().bytes();
    style.between_items = std::string(1, ',');
    trusted = is_trusted(indent);
  }
  if (!a[2].is_missing() && !a[2].is_none()) {
    const std::vector<Value> parts = items_of(heap, a[2]);
    if (parts.size() != 2) raise(ErrorKind::kValue, "separators: want two texts, got {}", parts.size());
    style.between_items = separator_of(parts[0]);
    style.after_key = separator_of(parts[1]);
    trusted = trusted && is_trusted(parts[0]) && is_trusted(parts[1]);
  }
  Shown out = json_text(operand, style, in.budget());
  out.trusted = out.trusted && trusted;
  return make_text(heap, std::move(out));
}

Value pretty(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("pprint", arguments, {}, 0);
  return make_text(in.heap(), pretty_text(in.heap(), operand));
}

constexpr Builtin kFilters[] = {{"default", otherwise}, {"d", otherwise}, {"tojson", to_json}, {"pprint", pretty}};

}  // namespace

std::span<const Builtin> value_filters() { return kFilters; }

}  // namespace skald::jinja
