// Heap: makes and destroys the objects of one rendering, and counts the memory that they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "text/chat/jinja/run/budget.h"

namespace skald::jinja {

class Heap;

enum class Kind : uint8_t {
  kMissing,  // no value at all: a slot that nothing was put into
  kUndefined,
  kNone,
  kBool,
  kInt,
  kBigInt,
  kFloat,
  kText,
  kList,
  kTuple,
  kDict,
  kRange,
  kView,
  kNamespace,
  kLoop,
  kFunction,
  kIterator,
  kOther,
};

/// A value that does not fit into a Value. Counted references, for one thread.
class Object {
 public:
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  Kind kind() const { return kind_; }
  Heap& heap() const { return *heap_; }
  /// Lets go of all other objects, where the object can be part of a circle.
  virtual void clear() {}

  void retain() noexcept { ++references_; }
  void release() noexcept;

 protected:
  explicit Object(Kind kind) : kind_(kind) {}

 private:
  friend class Heap;

  Kind kind_;
  bool circular_ = false;  // in the heap's list
  uint32_t references_ = 0;
  Heap* heap_ = nullptr;
  size_t bytes_ = 0;
  Object *before_ = nullptr, *after_ = nullptr;  // in the heap's list, or of those that wait to be destroyed
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(T* object) : object_(object) {  // NOLINT: as a pointer would
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  Ref(const Ref<U>& other) : Ref(other.get()) {}  // NOLINT: as a pointer would
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

class Heap {
 public:
  explicit Heap(Budget& budget) : budget_(budget) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;
  /// Lets go of objects that hold each other in circles. No Value may be left elsewhere.
  ~Heap();

  Budget& budget() { return budget_; }

  /// `more`: bytes that the object will hold beside itself.
  template <class T, class... Args>
  Ref<T> make_sized(size_t more, Args&&... args) {
    constexpr size_t kOverhead = 32;  // of an allocation or two
    const size_t bytes = sizeof(T) + kOverhead + more;
    budget_.take_memory(bytes);
    T* object = nullptr;
    try {
      object = new T(std::forward<Args>(args)...);
    } catch (...) {
      budget_.give_memory(bytes);
      throw;
    }
    adopt(*object, bytes);
    return Ref<T>(object);
  }
  template <class T, class... Args>
  Ref<T> make(Args&&... args) {
    return make_sized<T>(0, std::forward<Args>(args)...);
  }
  /// For objects that can be part of a circle.
  template <class T, class... Args>
  Ref<T> make_circular(Args&&... args) {
    Ref<T> out = make<T>(std::forward<Args>(args)...);
    link(*out);
    return out;
  }
  /// An object that grew.
  void grow(Object& object, size_t bytes) {
    budget_.take_memory(bytes);
    object.bytes_ += bytes;
  }

  /// Destroys an object without references; objects to which it alone referred go after it, without recursion and without
  /// taking memory.
  void bury(Object* object) noexcept;

 private:
  void adopt(Object& object, size_t bytes);
  void link(Object& object);
  void unlink(Object& object);

  Budget& budget_;
  Object* dying_ = nullptr;  // the first of those that wait to be destroyed
  bool burying_ = false;
  Object* circular_ = nullptr;
};

inline void Object::release() noexcept {
  if (--references_ == 0) heap_->bury(this);
}

}  // namespace skald::jinja
