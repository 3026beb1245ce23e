#include "base/processor_system.h"

namespace skald {

bool ask_for_tiles() { return false; }

}  // namespace skald
