#include "kernels/gpu/host/fiber.h"

#include <sys/mman.h>

#include <span>
#include <utility>

#include "base/error.h"
#include "base/thread_stack.h"
#include "kernels/gpu/host/fiber_switch.h"
#include "kernels/gpu/host/sanitizers.h"

namespace skald::simt::host {
namespace {

constexpr size_t kStackBytes = 64 * 1024, kGuardBytes = 64 * 1024;  // a page of any machine

// Found once: of the first thread, the C library looks for it in the map of all memory.
std::span<std::byte> own_stack() {
  thread_local const std::span<std::byte> stack = thread_stack();
  return stack;
}

}  // namespace

Fiber::Fiber() { be_here(); }

void Fiber::be_here() {
  watched_ = sanitizers::running_fiber();
  stack_ = own_stack().data();
  stack_bytes_ = own_stack().size();
}

Fiber::Fiber(void (*entry)()) {
  void* at =
      mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) fail(Errc::kNoMemory, "cannot allocate a stack of {} bytes", kStackBytes);
  memory_ = static_cast<std::byte*>(at);
  SKALD_ASSERT(mprotect(memory_, kGuardBytes, PROT_NONE) == 0);
  stack_ = memory_ + kGuardBytes;
  stack_bytes_ = kStackBytes;
  place_ = first_place(memory_ + kGuardBytes + kStackBytes, entry);
  watched_ = sanitizers::new_fiber();
}

Fiber::Fiber(Fiber&& other) noexcept
    : place_(other.place_),
      memory_(std::exchange(other.memory_, nullptr)),
      stack_(other.stack_),
      stack_bytes_(other.stack_bytes_),
      fake_stack_(other.fake_stack_),
      watched_(other.watched_) {}

Fiber::~Fiber() {
  if (!memory_) return;
  sanitizers::end_fiber(watched_);
  sanitizers::permit(stack_, stack_bytes_);
  munmap(memory_, kGuardBytes + kStackBytes);
}

void Fiber::switch_to(Fiber& to) {
  sanitizers::leave(&fake_stack_, to.stack_, to.stack_bytes_, to.watched_);
  skald_simt_switch(&place_, to.place_);
  sanitizers::arrive(fake_stack_);
}

void Fiber::begin() { sanitizers::arrive(nullptr); }

}  // namespace skald::simt::host
