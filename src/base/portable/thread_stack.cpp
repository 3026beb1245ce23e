#include "base/thread_stack.h"

namespace skald {

std::span<std::byte> thread_stack() { return {}; }

}  // namespace skald
