#include <sys/syscall.h>
#include <unistd.h>

#include "base/processor_system.h"

namespace skald {

// Tiles are granted to processes that ask: all threads, those that exist too.
bool ask_for_tiles() {
  constexpr int kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA
  return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

}  // namespace skald
