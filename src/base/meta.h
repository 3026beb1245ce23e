// Meta: the ordered key -> value store of a model file, with typed access that names the key when it fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace skald {

struct MetaArray;

/// The order of alternatives is GGUF's value type numbering (0 = uint8 ... 12 = float64).
using MetaValue = std::variant<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float, bool, std::string, MetaArray,
                               uint64_t, int64_t, double>;

/// A homogeneous array; the index of the alternative is again the GGUF type number of its elements.
struct MetaArray {
  std::variant<std::vector<uint8_t>, std::vector<int8_t>, std::vector<uint16_t>, std::vector<int16_t>, std::vector<uint32_t>,
               std::vector<int32_t>, std::vector<float>, std::vector<bool>, std::vector<std::string>, std::vector<MetaArray>,
               std::vector<uint64_t>, std::vector<int64_t>, std::vector<double>>
      items;

  int64_t size() const;
  friend bool operator==(const MetaArray&, const MetaArray&) = default;
};

/// GGUF's name of the value's type: "uint32".
const char* kind_of(const MetaValue& value);

/// Keys keep the order in which they were set. Numbers convert between widths when the value fits, and an array of equal
/// numbers counts as one of them (some converters write a number once per layer). Anything else is an Error (kNotFound for
/// an absent key, kBadFile for a wrong type or range) that names the key. Meta remembers which keys were looked up, so that
/// the others can be told. Any thread may read.
class Meta {
 public:
  void set(std::string key, MetaValue value);  // replaces an existing key's value in place
  const MetaValue* find(std::string_view key) const;
  /// Finds like find(), but the key does not count as read.
  const MetaValue* peek(std::string_view key) const;
  /// Returns the keys that begin with `prefix` and were never looked up, in their order.
  std::vector<std::string_view> unread(std::string_view prefix) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const std::vector<std::pair<std::string, MetaValue>>& entries() const { return entries_; }

  int64_t i64(std::string_view key) const;
  int64_t i64(std::string_view key, int64_t fallback) const;
  double f64(std::string_view key) const;
  double f64(std::string_view key, double fallback) const;
  float f32(std::string_view key) const { return static_cast<float>(f64(key)); }
  float f32(std::string_view key, float fallback) const { return static_cast<float>(f64(key, fallback)); }
  bool flag(std::string_view key, bool fallback) const;
  const std::string& str(std::string_view key) const;
  std::string str(std::string_view key, std::string_view fallback) const;
  /// Empty when the key is absent.
  std::vector<int64_t> ints(std::string_view key) const;
  std::vector<float> floats(std::string_view key) const;
  /// Of an array of bools, or of integers that are 0 or 1. Empty when the key is absent.
  std::vector<bool> flags(std::string_view key) const;
  const std::vector<std::string>& strings(std::string_view key) const;

 private:
  const MetaValue& need(std::string_view key) const;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  // Copyable, unlike an atomic.
  struct Mark {
    Mark() = default;
    Mark(const Mark& other) : read(other.read.load(std::memory_order_relaxed)) {}
    Mark& operator=(const Mark& other) {
      read.store(other.read.load(std::memory_order_relaxed), std::memory_order_relaxed);
      return *this;
    }
    mutable std::atomic<bool> read = false;
  };
  std::vector<std::pair<std::string, MetaValue>> entries_;
  std::vector<Mark> marks_;  // of entries_
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> index_;
};

/// A view of the keys below "<prefix>.", which is how an architecture's hyperparameters are read.
class MetaView {
 public:
  MetaView(const Meta& meta, std::string prefix) : meta_(&meta), prefix_(std::move(prefix)) {}

  bool has(std::string_view key) const { return meta_->has(full(key)); }
  int64_t i64(std::string_view key) const { return meta_->i64(full(key)); }
  int64_t i64(std::string_view key, int64_t fallback) const { return meta_->i64(full(key), fallback); }
  float f32(std::string_view key) const { return meta_->f32(full(key)); }
  float f32(std::string_view key, float fallback) const { return meta_->f32(full(key), fallback); }
  bool flag(std::string_view key, bool fallback) const { return meta_->flag(full(key), fallback); }
  std::string str(std::string_view key, std::string_view fallback) const { return meta_->str(full(key), fallback); }
  const MetaValue* find(std::string_view key) const { return meta_->find(full(key)); }
  /// Returns an i64 that must be in [low, high]; for sizes that are divided by or allocated.
  int64_t in_range(std::string_view key, int64_t low, int64_t high) const;
  std::string full(std::string_view key) const { return prefix_ + "." + std::string(key); }
  const Meta& meta() const { return *meta_; }

 private:
  const Meta* meta_;
  std::string prefix_;
};

}  // namespace skald
