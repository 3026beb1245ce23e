// ScopedFlushDenormals: bits of the floating-point control register.
#include "base/processor.h"
#include "base/thread_pool.h"

namespace skald {

ScopedFlushDenormals::ScopedFlushDenormals() : saved_(float_control()) { set_float_control(saved_ | kFlushDenormals); }

// Only the flush bits go back: exception flags raised inside the scope stay raised.
ScopedFlushDenormals::~ScopedFlushDenormals() {
  set_float_control((float_control() & ~kFlushDenormals) | (saved_ & kFlushDenormals));
}

}  // namespace skald
