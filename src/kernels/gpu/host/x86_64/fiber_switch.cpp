#include "kernels/gpu/host/fiber_switch.h"

#include "kernels/gpu/host/assembler.h"

asm(SIMT_FUNCTION("skald_simt_switch") R"(
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
)" SIMT_FUNCTION_END("skald_simt_switch"));

namespace skald::simt::host {

// Six registers below the address to return to, which is called with nothing to return to in turn.
void* first_place(void* end, void (*entry)()) {
  auto* top = static_cast<void**>(end);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  return top;
}

}  // namespace skald::simt::host
