#include "kernels/gpu/host/fiber.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "base/error.h"
#include "kernels/gpu/host/sanitizers.h"

#if defined(__x86_64__)
// The registers that calls keep, on the stack that is left; then those of the stack that is gone on with.
extern "C" void skald_simt_switch(void** left, void* to);
asm(R"(
.text
.globl skald_simt_switch
.hidden skald_simt_switch
.type skald_simt_switch,@function
skald_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size skald_simt_switch,.-skald_simt_switch
)");
#endif

namespace skald::simt::host {
namespace {

constexpr size_t kStackBytes = 64 * 1024, kGuardBytes = 64 * 1024;  // a page of any machine

struct Stack {
  void* at = nullptr;
  size_t bytes = 0;
};

Stack find_stack() {
  pthread_attr_t attributes;
  Stack stack;
  SKALD_ASSERT(pthread_getattr_np(pthread_self(), &attributes) == 0);
  SKALD_ASSERT(pthread_attr_getstack(&attributes, &stack.at, &stack.bytes) == 0);
  pthread_attr_destroy(&attributes);
  return stack;
}

// Found once: of the first thread, the C library looks for it in the map of all memory.
const Stack& thread_stack() {
  thread_local const Stack stack = find_stack();
  return stack;
}

}  // namespace

Fiber::Fiber() { be_here(); }

void Fiber::be_here() {
  watched_ = sanitizers::running_fiber();
  stack_ = thread_stack().at;
  stack_bytes_ = thread_stack().bytes;
}

Fiber::Fiber(void (*entry)()) {
  void* at =
      mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) fail(Errc::kNoMemory, "cannot allocate a stack of {} bytes", kStackBytes);
  memory_ = static_cast<std::byte*>(at);
  SKALD_ASSERT(mprotect(memory_, kGuardBytes, PROT_NONE) == 0);
  stack_ = memory_ + kGuardBytes;
  stack_bytes_ = kStackBytes;
#if defined(__x86_64__)
  // As skald_simt_switch leaves a stack: six registers below the address to return to, which is called with nothing to
  // return to in turn.
  auto* top = reinterpret_cast<void**>(memory_ + kGuardBytes + kStackBytes);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  place_ = top;
#else
  getcontext(&place_);
  place_.uc_stack.ss_sp = memory_ + kGuardBytes;
  place_.uc_stack.ss_size = kStackBytes;
  place_.uc_link = nullptr;
  makecontext(&place_, entry, 0);
#endif
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
#if defined(__x86_64__)
  skald_simt_switch(&place_, to.place_);
#else
  swapcontext(&place_, &to.place_);
#endif
  sanitizers::arrive(fake_stack_);
}

void Fiber::begin() { sanitizers::arrive(nullptr); }

}  // namespace skald::simt::host
