// KeptPromise: a promise that is kept in any case, without taking memory.
#pragma once

#include <exception>
#include <future>
#include <utility>

#include "skald/error.h"

namespace skald {

/// Dropped without a value, it gives an error. std::promise would make one then, which ends the process where there is no
/// memory for it.
template <class T>
class KeptPromise {
 public:
  KeptPromise(std::promise<T> promise = {}) : promise_(std::move(promise)), dropped_(dropped()) {}  // NOLINT: as it is given
  KeptPromise(KeptPromise&& other) noexcept
      : promise_(std::move(other.promise_)), dropped_(std::exchange(other.dropped_, nullptr)) {}
  KeptPromise& operator=(KeptPromise&& other) noexcept {
    std::swap(promise_, other.promise_);
    std::swap(dropped_, other.dropped_);
    return *this;
  }
  ~KeptPromise() {
    if (dropped_) promise_.set_exception(dropped_);
  }

  /// Either of them, once.
  void set_value(T value) {
    promise_.set_value(std::move(value));
    dropped_ = nullptr;
  }
  void set_exception(std::exception_ptr error) {
    promise_.set_exception(std::move(error));
    dropped_ = nullptr;
  }

 private:
  static const std::exception_ptr& dropped() {
    static const std::exception_ptr error =
        std::make_exception_ptr(Error(Errc::kInternal, "the engine has dropped the request"));
    return error;
  }

  std::promise<T> promise_;
  std::exception_ptr dropped_;  // null: it is kept, or was moved on
};

}  // namespace skald
