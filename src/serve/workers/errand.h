// Errands: calls on their way to another thread.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <utility>

namespace skald::serve {

/// A call that is made where memory may be missing, and then posted without taking any.
class Errand {
 public:
  /// `f` can be copied.
  template <class F>
  Errand(F f) {  // NOLINT(google-explicit-constructor): as a function is given
    one_.emplace_back(std::move(f));
  }

 private:
  friend class Errands;
  std::list<std::function<void()>> one_;
};

/// In the order in which they came; for one thread at a time.
class Errands {
 public:
  void add(Errand errand) noexcept { all_.splice(all_.end(), errand.one_); }
  bool empty() const { return all_.empty(); }
  size_t size() const { return all_.size(); }
  /// The first of them, which there is.
  std::function<void()> take() noexcept {
    std::function<void()> first = std::move(all_.front());
    all_.pop_front();
    return first;
  }

 private:
  std::list<std::function<void()>> all_;
};

}  // namespace skald::serve
