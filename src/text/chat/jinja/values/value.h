// Value: anything that a template's variable can hold, as Python has it.
#pragma once

#include <cstdint>
#include <utility>

#include "text/chat/jinja/values/heap.h"

namespace skald::jinja {

/// Small values by themselves, the others as references to objects.
class Value {
 public:
  Value() : kind_(Kind::kMissing) { at_.integer = 0; }
  static Value none() { return Value(Kind::kNone); }
  static Value of(bool b) {
    Value out(Kind::kBool);
    out.at_.integer = b;
    return out;
  }
  static Value of(int64_t i) {
    Value out(Kind::kInt);
    out.at_.integer = i;
    return out;
  }
  static Value of_size(size_t n) { return of(static_cast<int64_t>(n)); }
  static Value of(double f) {
    Value out(Kind::kFloat);
    out.at_.real = f;
    return out;
  }
  template <class T>
  Value(const Ref<T>& object) : kind_(object->kind()) {  // NOLINT: as a pointer would
    at_.object = object.get();
    keep();
  }
  Value(const Value& other) : kind_(other.kind_), at_(other.at_) { keep(); }
  Value(Value&& other) noexcept : kind_(std::exchange(other.kind_, Kind::kMissing)), at_(other.at_) {}
  Value& operator=(Value other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(at_, other.at_);
    return *this;
  }
  ~Value() {
    if (is_object()) at_.object->release();
  }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_missing() const { return kind_ == Kind::kMissing; }
  bool is_undefined() const { return kind_ == Kind::kUndefined; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool is_text() const { return kind_ == Kind::kText; }
  /// Returns an int or a bool, which is one in Python.
  bool is_integer() const { return kind_ == Kind::kInt || kind_ == Kind::kBool || kind_ == Kind::kBigInt; }
  bool is_number() const { return is_integer() || kind_ == Kind::kFloat; }
  bool is_sequence() const { return kind_ == Kind::kList || kind_ == Kind::kTuple; }
  bool is_object() const { return kind_ == Kind::kUndefined || kind_ == Kind::kBigInt || kind_ >= Kind::kText; }

  bool boolean() const { return at_.integer != 0; }
  /// Of kInt and kBool.
  int64_t integer() const { return at_.integer; }
  double real() const { return at_.real; }
  Object* object() const { return is_object() ? at_.object : nullptr; }
  template <class T>
  T& as() const {
    return static_cast<T&>(*at_.object);
  }
  template <class T>
  T* find() const {
    return dynamic_cast<T*>(object());
  }
  /// Python's `is`.
  bool same(const Value& other) const {
    return kind_ == other.kind_ && (kind_ == Kind::kNone || kind_ == Kind::kMissing || at_.integer == other.at_.integer);
  }

 private:
  explicit Value(Kind kind) : kind_(kind) { at_.integer = 0; }
  void keep() const {
    if (is_object()) at_.object->retain();
  }

  Kind kind_;
  union {
    int64_t integer;
    double real;
    Object* object;
  } at_;
};

}  // namespace skald::jinja
