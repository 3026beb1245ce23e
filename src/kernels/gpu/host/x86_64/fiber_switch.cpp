#include "kernels/gpu/host/fiber_switch.h"

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
