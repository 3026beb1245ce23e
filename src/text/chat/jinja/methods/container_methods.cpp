// The methods of Python's list, tuple, dict, its views and range that change nothing, and those of numbers.
#include <cmath>

#include "text/chat/jinja/run/access.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {
namespace {

Value count(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("count", arguments, {"value"}, 1);
  int64_t out = 0;
  for (const Value& item : items_of(in.heap(), self)) out += item.same(a[0]) || equal(item, a[0], in.budget());
  return Value::of(out);
}

Value index(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("index", arguments, {"value", "start", "stop"}, 1);
  const std::vector<Value> items = items_of(in.heap(), self);
  const auto length = static_cast<int64_t>(items.size());
  const auto inside = [length](const Value& value, int64_t otherwise) {
    if (value.is_missing()) return otherwise;
    const int64_t at = index_of(value);
    return at < 0 ? std::max<int64_t>(at < -length ? 0 : at + length, 0) : std::min(at, length);
  };
  const int64_t end = inside(a[2], length);
  for (int64_t i = inside(a[1], 0); i < end; ++i) {
    const Value& item = items[static_cast<size_t>(i)];
    if (item.same(a[0]) || equal(item, a[0], in.budget())) return Value::of(i);
  }
  if (self.is(Kind::kTuple)) raise(ErrorKind::kValue, "tuple.index(x): x not in tuple");
  raise(ErrorKind::kValue, "{} is not in list", repr(a[0], in.budget()).text.substr(0, 200));
}

// Nothing changes a container, so that a copy is the same.
Value copy(Interpreter&, const Value& self, Arguments& arguments) {
  bind("copy", arguments, {}, 0);
  return self;
}

Value get(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("get", arguments, {"key", "default"}, 1);
  const Dict& dict = self.as<Dict>();
  in.budget().step();
  const Value* item = dict.find(a[0]);
  if (item) dict.was_read = true;
  return item ? *item : a[1].is_missing() ? Value::none() : a[1];
}

template <View::Part part>
Value view(Interpreter& in, const Value& self, Arguments& arguments) {
  bind("dict method", arguments, {}, 0);
  return in.heap().make<View>(Ref<Dict>(&self.as<Dict>()), part);
}

Value from_keys(Interpreter& in, const Value&, Arguments& arguments) {
  const auto a = bind("fromkeys", arguments, {"iterable", "value"}, 1);
  const Ref<Dict> out = in.heap().make<Dict>();
  for (const Value& key : items_of(in.heap(), a[0])) out->set(key, a[1].is_missing() ? Value::none() : a[1]);
  return out;
}

Value is_disjoint(Interpreter& in, const Value& self, Arguments& arguments) {
  const auto a = bind("isdisjoint", arguments, {"other"}, 1);
  for (const Value& item : items_of(in.heap(), a[0]))
    if (contains(self, item, in.budget())) return Value::of(false);
  return Value::of(true);
}

Value is_integer(Interpreter&, const Value& self, Arguments& arguments) {
  bind("is_integer", arguments, {}, 0);
  return Value::of(std::isfinite(self.real()) && std::floor(self.real()) == self.real());
}

Value bit_length(Interpreter&, const Value& self, Arguments& arguments) {
  bind("bit_length", arguments, {}, 0);
  return Value::of_size(integer_of(self).bits());
}

Value conjugate(Interpreter& in, const Value& self, Arguments& arguments) {
  bind("conjugate", arguments, {}, 0);
  return positive(in.heap(), self);
}

constexpr MethodEntry kList[] = {{"count", count}, {"index", index}, {"copy", copy}};
constexpr MethodEntry kTuple[] = {{"count", count}, {"index", index}};
constexpr MethodEntry kDict[] = {{"get", get},
                                 {"keys", view<View::Part::kKeys>},
                                 {"values", view<View::Part::kValues>},
                                 {"items", view<View::Part::kItems>},
                                 {"copy", copy},
                                 {"fromkeys", from_keys}};
constexpr MethodEntry kView[] = {{"isdisjoint", is_disjoint}};
constexpr MethodEntry kInteger[] = {{"bit_length", bit_length}, {"conjugate", conjugate}};
constexpr MethodEntry kReal[] = {{"is_integer", is_integer}, {"conjugate", conjugate}};

}  // namespace

std::span<const MethodEntry> container_methods(Kind kind) {
  if (kind == Kind::kList) return kList;
  if (kind == Kind::kDict) return kDict;
  if (kind == Kind::kView) return kView;
  return kTuple;  // and a range's
}

std::span<const MethodEntry> number_methods(bool real) {
  if (real) return kReal;
  return kInteger;
}

}  // namespace skald::jinja
