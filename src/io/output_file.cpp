// OutputFile on POSIX: a temporary file beside the target, fsync, rename.
#include "io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace skald {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  // Renaming over a device or a fifo would replace it: "-o /dev/null" as root must not.
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    fail(Errc::kBadInput, "cannot write {}: it exists and is not a regular file", path_);
  // O_EXCL: never write through a file or link that somebody else has put there.
  for (int attempt = 0; fd_ < 0 && attempt < 100; ++attempt) {
    temporary_ = fmt::format("{}.tmp-{}-{}", path_, ::getpid(), attempt);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) {
    const int number = errno;
    fail(number == ENOENT || number == ENOTDIR ? Errc::kNotFound : Errc::kDevice, "cannot create {}: {}", temporary_,
         std::generic_category().message(number));
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  constexpr size_t kStep = size_t{1} << 28;  // one call moves at most 0x7ffff000 bytes on Linux
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), std::min(kStep, bytes.size()));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_with(errno, "write");
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
}

void OutputFile::finish() {
  if (::fsync(fd_) != 0) fail_with(errno, "flush");
  if (::close(std::exchange(fd_, -1)) != 0) fail_with(errno, "close");
}

void OutputFile::commit() {
  if (fd_ >= 0) finish();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_with(errno, "rename the finished file to");
  temporary_.clear();
  // The new name itself: best effort, since some file systems cannot flush a folder.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

void OutputFile::fail_with(int number, const char* what) const {
  fail(Errc::kDevice, "cannot {} {}: {}", what, path_, std::generic_category().message(number));
}

}  // namespace skald
