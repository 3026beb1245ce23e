// Fiber: a stack of its own and a place to go on, within one thread of the system. Sanitizers are told of each switch.
#pragma once

#include <cstddef>

namespace skald::simt::host {

class Fiber {
 public:
  /// The running thread, as what others switch back to.
  Fiber();
  /// The running thread is another one now.
  void be_here();
  /// A new stack, with a page below it that faults. `entry` never returns. Throws kNoMemory.
  explicit Fiber(void (*entry)());
  Fiber(Fiber&& other) noexcept;
  Fiber& operator=(Fiber&&) = delete;
  ~Fiber();

  /// Leaves this fiber, which runs, and goes on where `to` was left.
  void switch_to(Fiber& to);
  /// To be called first in `entry`.
  static void begin();

 private:
  void* place_ = nullptr;        // the stack's top, where it was left
  std::byte* memory_ = nullptr;  // null: the thread's own
  const void* stack_ = nullptr;
  size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;  // of the address sanitizer
  void* watched_ = nullptr;     // of the thread sanitizer
};

}  // namespace skald::simt::host
