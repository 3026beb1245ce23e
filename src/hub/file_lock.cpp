#include "hub/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "hub/cache.h"

namespace skald {
namespace {

// Others of a group may share the cache, as huggingface_hub has it.
constexpr mode_t kMode = 0664;

// Whether the path still names the file: another process may have removed it since it was opened.
bool is_at(int fd, const std::string& path) {
  struct stat mine {
  }, there{};
  return ::fstat(fd, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(std::string path, const std::function<void()>& waiting) {
  make_folders(std::filesystem::path(path).parent_path().string());
  for (;;) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode);
    if (fd_ < 0) fail(Errc::kDevice, "cannot open {}: {}", path, std::generic_category().message(errno));
    while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      const int number = errno;
      if (number == EINTR) continue;
      // Some file systems have no locks. Contents appear by renaming, so that only the work may be done twice.
      if (number != EWOULDBLOCK) return;
      try {
        if (waiting) waiting();
      } catch (...) {
        ::close(fd_);
        throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (is_at(fd_, path)) return;
    ::close(fd_);
  }
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}
FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

bool FileLock::is_held(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return held;
}

}  // namespace skald
