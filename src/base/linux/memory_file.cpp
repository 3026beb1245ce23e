#include "base/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>

namespace skald {

int make_memory_file() { return memfd_create("skald-memory", MFD_CLOEXEC); }

void empty_pages(int file, int64_t at, int64_t bytes) {
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, bytes);
}

}  // namespace skald
