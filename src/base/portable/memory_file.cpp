// A shared memory object whose name is removed at once. Pages that are given back stay in memory as zeros.
#include "base/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace skald {

int make_memory_file() {
  static std::atomic<int> made = 0;
  constexpr int kTries = 100;  // names of processes that ended without removing theirs
  for (int i = 0; i < kTries; ++i) {
    const std::string name = "/skald-" + std::to_string(::getpid()) + "-" + std::to_string(made++);
    const int file = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (file >= 0) ::shm_unlink(name.c_str());
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

void empty_pages(int file, int64_t at, int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  void* const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(at));
  if (pages == MAP_FAILED) return;
  std::memset(pages, 0, size);
  ::munmap(pages, size);
}

}  // namespace skald
