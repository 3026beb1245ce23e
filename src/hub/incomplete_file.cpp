#include "hub/incomplete_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"

namespace skald {

IncompleteFile::IncompleteFile(std::string path, int64_t size, std::string blob,
                               const std::function<void(int64_t)>& progress)
    : path_(std::move(path)), size_(size), blob_(std::move(blob)), hasher_(blob_, size) {
  // O_NOFOLLOW: a link that another user has put there is not written through.
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) fail_with("open");
  try {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) fail_with("look at");
    if (!S_ISREG(info.st_mode)) fail(Errc::kDevice, "{} is there and not a regular file", path_);
    length_ = info.st_size;
    if (length_ > size_)
      clear();
    else
      read_earlier(progress);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

IncompleteFile::~IncompleteFile() {
  if (fd_ >= 0) ::close(fd_);
}

void IncompleteFile::read_earlier(const std::function<void(int64_t)>& progress) {
  std::vector<std::byte> block(size_t{1} << 20);
  for (int64_t at = 0; at < length_;) {
    const ssize_t n = ::read(fd_, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_with("read");
    hasher_.add(std::span(block).first(static_cast<size_t>(n)));
    at += n;
    if (progress) progress(at);
  }
}

void IncompleteFile::write(std::span<const std::byte> bytes) {
  if (std::ssize(bytes) > size_ - length_)
    fail(Errc::kBadFile, "the server sends more than the {} bytes that the file has", size_);
  hasher_.add(bytes);
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_with("write");
    bytes = bytes.subspan(static_cast<size_t>(n));
    length_ += n;
  }
}

void IncompleteFile::clear() {
  if (::ftruncate(fd_, 0) != 0 || ::lseek(fd_, 0, SEEK_SET) != 0) fail_with("empty");
  length_ = 0;
  hasher_ = Hasher(blob_, size_);
}

void IncompleteFile::commit(const std::string& target) {
  if (::fsync(fd_) != 0) fail_with("flush");
  if (::close(std::exchange(fd_, -1)) != 0) fail_with("close");
  if (::rename(path_.c_str(), target.c_str()) != 0) fail_with("rename");
}

void IncompleteFile::remove() { ::unlink(path_.c_str()); }

void IncompleteFile::fail_with(const char* what) const {
  fail(Errc::kDevice, "cannot {} {}: {}", what, path_, std::generic_category().message(errno));
}

}  // namespace skald
