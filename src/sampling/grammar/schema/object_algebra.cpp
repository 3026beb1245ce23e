// What ShapeAlgebra knows about objects.
#include <algorithm>
#include <array>

#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/shape_algebra.h"

namespace skald {
namespace {

constexpr size_t kMaxKeyClasses = 256;  // of keys

}  // namespace

bool ShapeAlgebra::is_void(const ObjectShape& object) const {
  if (object.max != kNoLimit && object.max < object.min) return true;
  int64_t required = 0, possible = 0;
  for (const Property& p : object.properties) {
    if (p.required && surely_empty(p.value)) return true;
    required += p.required, possible += p.value != Formulas::kNever;
  }
  if (object.max != kNoLimit && required > object.max) return true;
  const bool closed = object.others.empty();
  return (closed && possible < object.min) || std::ranges::any_of(object.some, [&](const SomeMember& s) {
           return surely_empty(s.value) || s.keys == RegexSet::kNothing;
         });
}

const Property* ShapeAlgebra::find(const ObjectShape& object, const std::string& key) const {
  const auto it = std::ranges::find(object.properties, key, &Property::key);
  return it == object.properties.end() ? nullptr : &*it;
}

FormulaId ShapeAlgebra::value_of(const ObjectShape& object, const std::string& key) {
  if (const Property* p = find(object, key)) return p->value;
  for (const KeyClass& c : object.others) {
    if (c.keys == strings.all() || regexes.matches(c.keys, spelled(key))) return c.value;
  }
  return Formulas::kNever;
}

RegexId ShapeAlgebra::declared_keys(const ObjectShape& object) {
  std::vector<std::string> keys;
  for (const Property& p : object.properties) keys.push_back(p.key);
  return strings.texts(keys);
}

std::vector<KeyClass> ShapeAlgebra::both(const std::vector<KeyClass>& a, const std::vector<KeyClass>& b) {
  std::vector<KeyClass> out;
  for (const KeyClass& x : a) {
    for (const KeyClass& y : b) {
      const RegexId keys = x.keys == strings.all()   ? y.keys
                           : y.keys == strings.all() ? x.keys
                                                     : regexes.both(x.keys, y.keys);
      const FormulaId value = formulas.all(x.value, y.value);
      if (value == Formulas::kNever || regexes.is_nothing(keys)) continue;
      if (out.size() >= kMaxKeyClasses) fail(Errc::kUnsupported, "more than {} classes of keys", kMaxKeyClasses);
      out.push_back({keys, value});
    }
  }
  return out;
}

ObjectShape ShapeAlgebra::both(const ObjectShape& a, const ObjectShape& b) {
  ObjectShape out;
  uint32_t chains = 0;
  for (const Property& p : a.properties) {
    const Property* other = find(b, p.key);
    Property merged = p;
    merged.value = formulas.all(p.value, other != nullptr ? other->value : value_of(b, p.key));
    if (other != nullptr) {
      merged.required |= other->required;
      merged.listed |= other->listed;
    }
    chains = std::max(chains, p.chain + 1);
    out.properties.push_back(std::move(merged));
  }
  for (const Property& p : b.properties) {
    if (find(a, p.key) != nullptr) continue;
    Property merged = p;
    merged.value = formulas.all(value_of(a, p.key), p.value);
    merged.chain += chains;
    out.properties.push_back(std::move(merged));
  }
  out.others = both(a.others, b.others);
  out.min = std::max(a.min, b.min);
  out.origin = a.min > 0 || !a.properties.empty() ? a.origin : b.origin;
  out.max = smaller_limit(a.max, b.max);
  out.some = a.some;
  for (const SomeMember& s : b.some) {
    if (std::ranges::find(out.some, s) == out.some.end()) out.some.push_back(s);
  }
  const std::array evaluated{a.evaluated, b.evaluated};
  out.evaluated = a.evaluated == b.evaluated ? a.evaluated : regexes.any_of(evaluated);
  return out;
}

// One form for each way in which an object can break the rules.
std::vector<ObjectShape> ShapeAlgebra::complement(const ObjectShape& a) {
  std::vector<ObjectShape> out;
  const auto add = [&](auto change) {
    ObjectShape wrong = any_object();
    wrong.origin = a.origin;
    change(wrong);
    if (!is_void(wrong)) out.push_back(std::move(wrong));
  };
  if (a.min > 0) add([&](ObjectShape& o) { o.max = a.min - 1; });
  if (a.max != kNoLimit) add([&](ObjectShape& o) { o.min = a.max + 1; });
  for (const Property& p : a.properties) {
    if (p.value != Formulas::kAnything)
      add([&](ObjectShape& o) {
        o.properties.push_back({.key = p.key, .value = formulas.negated(p.value), .required = true});
      });
    if (p.required) add([&](ObjectShape& o) { o.properties.push_back({.key = p.key, .value = Formulas::kNever}); });
  }
  RegexId allowed = declared_keys(a);
  const RegexId undeclared = strings.complement(allowed);
  for (const KeyClass& c : a.others) {
    allowed = regexes.any_of(std::array{allowed, c.keys});
    if (c.value == Formulas::kAnything) continue;
    const RegexId keys = regexes.both(c.keys, undeclared);
    add([&](ObjectShape& o) { o.some.push_back({keys, formulas.negated(c.value), a.origin}); });
  }
  const bool open = std::ranges::any_of(a.others, [&](const KeyClass& c) { return c.keys == strings.all(); });
  const RegexId forbidden = open ? regexes.nothing() : strings.complement(allowed);
  if (!regexes.is_nothing(forbidden))
    add([&](ObjectShape& o) { o.some.push_back({forbidden, Formulas::kAnything, a.origin}); });
  for (const SomeMember& s : a.some) {
    // All members with such keys are none of these values.
    add([&](ObjectShape& o) {
      o.others = {{s.keys, formulas.negated(s.value)}, {strings.complement(s.keys), Formulas::kAnything}};
      std::erase_if(o.others, [&](const KeyClass& c) { return c.value == Formulas::kNever || regexes.is_nothing(c.keys); });
    });
  }
  return out;
}

}  // namespace skald
