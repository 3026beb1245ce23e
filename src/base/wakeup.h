// Wakeup: a flag that poll() and event loops can wait for.
#pragma once

#include <array>

#include "base/descriptor.h"

namespace skald {

/// Any thread may set it; one at a time clears it.
class Wakeup {
 public:
  /// Throws Error (kDevice) where no descriptors are left.
  Wakeup() : Wakeup(made_pipe()) {}

  /// Returns a descriptor that can be read while the flag is set.
  int descriptor() const { return out_.get(); }
  void set() noexcept;
  void clear() noexcept;

 private:
  using Ends = std::array<int, 2>;  // of a pipe, which every UNIX has
  explicit Wakeup(Ends ends) : out_(ends[0]), in_(ends[1]) {}
  static Ends made_pipe();

  Descriptor out_, in_;
};

}  // namespace skald
