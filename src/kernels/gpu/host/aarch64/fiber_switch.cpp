#include "kernels/gpu/host/fiber_switch.h"

#include "kernels/gpu/host/assembler.h"

asm(SIMT_FUNCTION("skald_simt_switch") R"(
  stp x29, x30, [sp, #-160]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
)" SIMT_FUNCTION_END("skald_simt_switch"));

namespace skald::simt::host {

// Twenty registers, of which the second is the address to return to. No frame is above it.
void* first_place(void* end, void (*entry)()) {
  void** const top = static_cast<void**>(end) - 20;
  for (int i = 0; i < 20; ++i) top[i] = nullptr;
  top[1] = reinterpret_cast<void*>(entry);
  return top;
}

}  // namespace skald::simt::host
