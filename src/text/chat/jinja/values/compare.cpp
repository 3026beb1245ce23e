#include "text/chat/jinja/values/compare.h"

#include <cmath>
#include <functional>

#include "text/chat/jinja/run/protocol.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/objects.h"

namespace skald::jinja {
namespace {

int sign_of(int64_t a, int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

// An infinite number lies beyond all whole ones.
int order_of_float(double a, const Integer& b) {
  if (std::isinf(a)) return a < 0 ? -1 : 1;
  const double whole = std::floor(a);
  const int order = compare(Integer(whole), b);
  return order != 0 ? order : (a > whole ? 1 : 0);
}

int order_of_numbers(const Value& a, const Value& b) {
  const bool real_a = a.is(Kind::kFloat), real_b = b.is(Kind::kFloat);
  if ((real_a && std::isnan(a.real())) || (real_b && std::isnan(b.real()))) return 2;
  if (real_a && real_b) return a.real() < b.real() ? -1 : a.real() > b.real() ? 1 : 0;
  if (real_a) return order_of_float(a.real(), integer_of(b));
  if (real_b) return -order_of_float(b.real(), integer_of(a));
  if (!a.is(Kind::kBigInt) && !b.is(Kind::kBigInt)) return sign_of(a.integer(), b.integer());
  const int order = compare(integer_of(a), integer_of(b));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool equal_items(const Sequence& a, const Sequence& b, Budget& budget) {
  if (a.items.size() != b.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!equal(a.items[i], b.items[i], budget)) return false;
  return true;
}

bool equal_entries(const Dict& a, const Dict& b, Budget& budget) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Value* other = b.find(key);
    if (!other || !equal(value, *other, budget)) return false;
  }
  return true;
}

bool equal_ranges(const Range& a, const Range& b) {
  if (a.length != b.length) return false;
  return a.length == 0 || (a.start == b.start && (a.length == 1 || a.step == b.step));
}

// Keys and items are sets in Python; the values of a dict equal nothing but themselves.
bool equal_views(const View& a, const View& b, Budget& budget) {
  if (a.part != b.part || a.part == View::Part::kValues) return false;
  if (a.part == View::Part::kItems) return equal_entries(*a.dict, *b.dict, budget);
  if (a.dict->size() != b.dict->size()) return false;
  for (const auto& [key, value] : a.dict->entries()) {
    budget.step();
    if (!b.dict->find(key)) return false;
  }
  return true;
}

int order_of_items(const Sequence& a, const Sequence& b, std::string_view op, Budget& budget) {
  const size_t shared = std::min(a.items.size(), b.items.size());
  for (size_t i = 0; i < shared; ++i)
    if (!equal(a.items[i], b.items[i], budget)) return order(a.items[i], b.items[i], op, budget);
  return sign_of(static_cast<int64_t>(a.items.size()), static_cast<int64_t>(b.items.size()));
}

size_t mix(size_t a, size_t b) { return (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdull; }

}  // namespace

bool equal(const Value& a, const Value& b, Budget& budget) {
  budget.step();
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  if (a.same(b)) return true;
  switch (a.kind()) {
    case Kind::kNone:
    case Kind::kUndefined:
      return true;
    case Kind::kText: {
      const std::string &x = a.as<Text>().bytes(), &y = b.as<Text>().bytes();
      if (x.size() != y.size()) return false;
      budget.spend_bytes(x.size());
      return x == y;
    }
    case Kind::kList:
    case Kind::kTuple:
      budget.check_depth();
      return equal_items(a.as<Sequence>(), b.as<Sequence>(), budget);
    case Kind::kDict:
      budget.check_depth();
      return equal_entries(a.as<Dict>(), b.as<Dict>(), budget);
    case Kind::kRange:
      return equal_ranges(a.as<Range>(), b.as<Range>());
    case Kind::kView:
      return equal_views(a.as<View>(), b.as<View>(), budget);
    default:
      return false;
  }
}

int order(const Value& a, const Value& b, std::string_view op, Budget& budget) {
  budget.step();
  if (a.is_undefined()) a.as<Undefined>().fail();
  if (b.is_undefined()) b.as<Undefined>().fail();
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b);
  if (a.kind() == b.kind() && a.is_text()) {
    const std::string &x = a.as<Text>().bytes(), &y = b.as<Text>().bytes();
    budget.spend_bytes(std::min(x.size(), y.size()));
    return sign_of(x.compare(y), 0);  // UTF-8 keeps the order of code points
  }
  if (a.kind() == b.kind() && a.is_sequence()) {
    budget.check_depth();
    return order_of_items(a.as<Sequence>(), b.as<Sequence>(), op, budget);
  }
  raise(ErrorKind::kType, "'{}' not supported between instances of '{}' and '{}'", op, type_name(a), type_name(b));
}

bool less(const Value& a, const Value& b, Budget& budget) { return order(a, b, "<", budget) == -1; }

bool contains(const Value& container, const Value& item, Budget& budget) {
  switch (container.kind()) {
    case Kind::kText: {
      if (item.is_undefined() || !item.is_text())
        raise(ErrorKind::kType, "'in <string>' requires string as left operand, not {}", type_name(item));
      const std::string& text = container.as<Text>().bytes();
      budget.spend_bytes(text.size());
      return text.find(item.as<Text>().bytes()) != std::string::npos;
    }
    case Kind::kDict:
      return container.as<Dict>().find(item) != nullptr;
    case Kind::kList:
    case Kind::kTuple:
      for (const Value& v : container.as<Sequence>().items)
        if (v.same(item) || equal(v, item, budget)) return true;
      return false;
    case Kind::kView: {
      const View& view = container.as<View>();
      if (view.part == View::Part::kKeys) return view.dict->find(item) != nullptr;
      for (const auto& [key, value] : view.dict->entries()) {
        if (view.part == View::Part::kValues
                ? equal(value, item, budget)
                : item.is(Kind::kTuple) && item.as<Sequence>().items.size() == 2 &&
                      equal(key, item.as<Sequence>().items[0], budget) && equal(value, item.as<Sequence>().items[1], budget))
          return true;
      }
      return false;
    }
    case Kind::kRange: {
      const Range& range = container.as<Range>();
      if (!item.is_number()) return false;
      for (int64_t i = 0; i < range.length; ++i)  // of at most 100,000
        if (equal(Value::of(range.at(i)), item, budget)) return true;
      return false;
    }
    case Kind::kUndefined:
      return false;  // has no items
    default:
      break;
  }
  return iterated_contains(container, item, budget);
}

size_t hash_of(std::string_view key) { return std::hash<std::string_view>{}(key); }

size_t hash_of(const Value& key) {
  switch (key.kind()) {
    case Kind::kText:
      return hash_of(std::string_view(key.as<Text>().bytes()));
    case Kind::kBool:
    case Kind::kInt:
      return std::hash<int64_t>{}(key.integer());
    case Kind::kFloat: {
      const double f = key.real();
      if (f >= -9e18 && f <= 9e18 && std::floor(f) == f) return std::hash<int64_t>{}(static_cast<int64_t>(f));
      return std::hash<double>{}(f);
    }
    case Kind::kBigInt:
      return std::hash<double>{}(key.as<BigInt>().value.to_double());
    case Kind::kTuple: {
      size_t out = 7;
      key.object()->heap().budget().check_depth();
      key.object()->heap().budget().step();
      for (const Value& v : key.as<Sequence>().items) out = mix(out, hash_of(v));
      return out;
    }
    case Kind::kList:
    case Kind::kDict:
    case Kind::kView:
      raise(ErrorKind::kType, "unhashable type: '{}'", type_name(key));
    case Kind::kUndefined:
      return 11;  // all of them are equal
    default:
      return std::hash<const void*>{}(key.object());
  }
}

}  // namespace skald::jinja
