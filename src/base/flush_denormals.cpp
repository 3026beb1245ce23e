// ScopedFlushDenormals: the floating-point control register of each architecture.
#include "base/thread_pool.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace skald {
namespace {

#if defined(__x86_64__)

constexpr uint64_t kFlush = 0x8040;  // MXCSR: flush-to-zero (bit 15) and denormals-are-zero (bit 6)
uint64_t control() { return _mm_getcsr(); }
void set_control(uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }

#elif defined(__aarch64__)

constexpr uint64_t kFlush = uint64_t{1} << 24;  // FPCR.FZ flushes operands and results
uint64_t control() {
  uint64_t value = 0;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void set_control(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }

#else

constexpr uint64_t kFlush = 0;
uint64_t control() { return 0; }
void set_control(uint64_t) {}

#endif

}  // namespace

ScopedFlushDenormals::ScopedFlushDenormals() : saved_(control()) { set_control(saved_ | kFlush); }

// Only the flush bits go back: exception flags raised inside the scope stay raised.
ScopedFlushDenormals::~ScopedFlushDenormals() { set_control((control() & ~kFlush) | (saved_ & kFlush)); }

}  // namespace skald
