#include "base/meta.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.h"

namespace skald {
namespace {

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

const MetaArray& to_array(std::string_view key, const MetaValue& v) {
  if (const auto* a = std::get_if<MetaArray>(&v)) return *a;
  fail(Errc::kBadFile, "key {}: want an array, file has {}", key, kind_of(v));
}

// The number that all elements of an array are, as one of them; any other value as it is.
MetaValue one_of_equals(std::string_view key, const MetaValue& v) {
  const auto* array = std::get_if<MetaArray>(&v);
  if (!array) return v;
  return std::visit(
      [&](const auto& xs) -> MetaValue {
        using T = typename std::decay_t<decltype(xs)>::value_type;
        if constexpr (kIsInteger<T> || std::is_floating_point_v<T>) {
          if (xs.empty()) fail(Errc::kBadFile, "key {}: want a number, file has an empty array", key);
          if (std::ranges::any_of(xs, [&](T x) { return x != xs.front(); }))
            fail(Errc::kUnsupported, "key {}: values that differ from layer to layer are not supported", key);
          return xs.front();
        }
        return v;
      },
      array->items);
}

int64_t to_i64(std::string_view key, const MetaValue& value) {
  return std::visit(
      [&](const auto& x) -> int64_t {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, uint64_t>) {
          if (x > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            fail(Errc::kBadFile, "key {}: {} is too large", key, x);
          return static_cast<int64_t>(x);
        } else if constexpr (kIsInteger<T>) {
          return x;
        } else {
          fail(Errc::kBadFile, "key {}: want an integer, file has {}", key, kind_of(value));
        }
      },
      one_of_equals(key, value));
}

double to_f64(std::string_view key, const MetaValue& value) {
  return std::visit(
      [&](const auto& x) -> double {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_floating_point_v<T> || kIsInteger<T>) {
          return static_cast<double>(x);
        } else {
          fail(Errc::kBadFile, "key {}: want a number, file has {}", key, kind_of(value));
        }
      },
      one_of_equals(key, value));
}

// The numeric elements of an array as Out; `integral` refuses floating-point elements.
template <class Out>
std::vector<Out> numbers(std::string_view key, const MetaValue& v, bool integral) {
  return std::visit(
      [&](const auto& xs) -> std::vector<Out> {
        using T = typename std::decay_t<decltype(xs)>::value_type;
        if constexpr (kIsInteger<T> || std::is_floating_point_v<T>) {
          if (!integral || kIsInteger<T>) {
            std::vector<Out> out;
            out.reserve(xs.size());
            for (T x : xs) out.push_back(static_cast<Out>(x));
            return out;
          }
        }
        fail(Errc::kBadFile, "key {}: want an array of {}", key, integral ? "integers" : "numbers");
      },
      to_array(key, v).items);
}

}  // namespace

const char* kind_of(const MetaValue& value) {
  static constexpr const char* kNames[] = {"uint8", "int8",   "uint16", "int16",  "uint32", "int32",  "float32",
                                           "bool",  "string", "array",  "uint64", "int64",  "float64"};
  return kNames[value.index()];
}

int64_t MetaArray::size() const {
  return std::visit([](const auto& xs) { return static_cast<int64_t>(xs.size()); }, items);
}

void Meta::set(std::string key, MetaValue value) {
  if (auto it = index_.find(key); it != index_.end()) {
    entries_[it->second].second = std::move(value);
    return;
  }
  index_.emplace(key, entries_.size());
  entries_.emplace_back(std::move(key), std::move(value));
  marks_.emplace_back();
}

const MetaValue* Meta::find(std::string_view key) const {
  auto it = index_.find(key);
  if (it == index_.end()) return nullptr;
  marks_[it->second].read.store(true, std::memory_order_relaxed);
  return &entries_[it->second].second;
}

const MetaValue* Meta::peek(std::string_view key) const {
  auto it = index_.find(key);
  return it == index_.end() ? nullptr : &entries_[it->second].second;
}

std::vector<std::string_view> Meta::unread(std::string_view prefix) const {
  std::vector<std::string_view> keys;
  for (size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].first.starts_with(prefix) && !marks_[i].read.load(std::memory_order_relaxed))
      keys.push_back(entries_[i].first);
  return keys;
}

const MetaValue& Meta::need(std::string_view key) const {
  if (const MetaValue* v = find(key)) return *v;
  fail(Errc::kNotFound, "key {} is missing", key);
}

int64_t Meta::i64(std::string_view key) const { return to_i64(key, need(key)); }

int64_t Meta::i64(std::string_view key, int64_t fallback) const {
  const MetaValue* v = find(key);
  return v ? to_i64(key, *v) : fallback;
}

double Meta::f64(std::string_view key) const { return to_f64(key, need(key)); }

double Meta::f64(std::string_view key, double fallback) const {
  const MetaValue* v = find(key);
  return v ? to_f64(key, *v) : fallback;
}

bool Meta::flag(std::string_view key, bool fallback) const {
  const MetaValue* v = find(key);
  if (!v) return fallback;
  if (const bool* b = std::get_if<bool>(v)) return *b;
  fail(Errc::kBadFile, "key {}: want a bool, file has {}", key, kind_of(*v));
}

const std::string& Meta::str(std::string_view key) const {
  const MetaValue& v = need(key);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  fail(Errc::kBadFile, "key {}: want a string, file has {}", key, kind_of(v));
}

std::string Meta::str(std::string_view key, std::string_view fallback) const {
  return has(key) ? str(key) : std::string(fallback);
}

std::vector<int64_t> Meta::ints(std::string_view key) const {
  const MetaValue* v = find(key);
  return v ? numbers<int64_t>(key, *v, /*integral=*/true) : std::vector<int64_t>{};
}

std::vector<float> Meta::floats(std::string_view key) const {
  const MetaValue* v = find(key);
  return v ? numbers<float>(key, *v, /*integral=*/false) : std::vector<float>{};
}

std::vector<bool> Meta::flags(std::string_view key) const {
  const MetaValue* v = find(key);
  if (!v) return {};
  if (const auto* bools = std::get_if<std::vector<bool>>(&to_array(key, *v).items)) return *bools;
  std::vector<bool> out;
  for (const int64_t x : numbers<int64_t>(key, *v, /*integral=*/true)) {
    if (x != 0 && x != 1) fail(Errc::kBadFile, "key {}: want an array of bools, file has {}", key, x);
    out.push_back(x == 1);
  }
  return out;
}

const std::vector<std::string>& Meta::strings(std::string_view key) const {
  if (const auto* s = std::get_if<std::vector<std::string>>(&to_array(key, need(key)).items)) return *s;
  fail(Errc::kBadFile, "key {}: want an array of strings", key);
}

int64_t MetaView::in_range(std::string_view key, int64_t low, int64_t high) const {
  const int64_t value = i64(key);
  if (value < low || value > high) fail(Errc::kBadFile, "key {}: want {} to {}, file has {}", full(key), low, high, value);
  return value;
}

}  // namespace skald
