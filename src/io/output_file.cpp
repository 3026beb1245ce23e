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
#include "base/mapped_file.h"
#include "base/unfinished_files.h"

namespace skald {
namespace {

constexpr int kAttempts = 100;  // to find a name that is free

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The system says "bad address" where a mapped file that is written from was cut.
void refuse_cut_input(int number, const std::byte* from) {
  if (number != EFAULT) return;
  if (const char* path = mapped_file_at(from))
    fail(Errc::kBadFile, "{}: the file was cut short or changed while it was in use", path);
  errno = number;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

std::string resolve_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux
  std::filesystem::path at = path;
  std::error_code ignored;
  for (int i = 0; std::filesystem::is_symlink(at, ignored); ++i) {
    if (i == kMostLinks) fail(Errc::kBadInput, "cannot write {}: its symbolic links do not end", path);
    at = at.parent_path() / std::filesystem::read_symlink(at, ignored);
  }
  return at.string();
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) fail(Errc::kBadInput, "cannot write the output: its name is empty");
  path_ = resolve_links(path_);
  // Renaming over a device or a fifo would replace it: "-o /dev/null" as root must not.
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    fail(Errc::kBadInput, "cannot write {}: it exists and is not a regular file", path_);
  create();
  if (fd_ < 0) {
    const int number = errno;
    fail(number == ENOENT || number == ENOTDIR ? Errc::kNotFound : Errc::kDevice, "cannot create {}: {}", path_,
         std::generic_category().message(number));
  }
}

// O_EXCL: never write through a file or link that another user has put there.
void OutputFile::create() {
  for (int attempt = 0; fd_ < 0 && attempt < kAttempts; ++attempt) {
    temporary_ = fmt::format("{}.tmp-{}-{}", path_, ::getpid(), attempt);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0)
    temporary_.clear();
  else
    remember_unfinished(this, temporary_);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_unfinished(this);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  constexpr size_t kStep = size_t{1} << 28;  // one call moves at most 0x7ffff000 bytes on Linux
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), std::min(kStep, bytes.size()));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse_cut_input(errno, bytes.data());
    if (done < 0) fail_with(errno, "write");
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
}

void OutputFile::finish() {
  keep_mode();
  if (::fsync(fd_) != 0) fail_with(errno, "flush");
  if (::close(std::exchange(fd_, -1)) != 0) fail_with(errno, "close");
}

void OutputFile::keep_mode() const {
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0 && ::fchmod(fd_, info.st_mode & 07777) != 0) fail_with(errno, "set the mode of");
}

void OutputFile::commit() {
  if (fd_ >= 0) finish();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_with(errno, "rename the finished file to");
  forget_unfinished(this);
  temporary_.clear();
  // The new name itself: best effort, since some file systems cannot flush a folder.
  const int fd = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

void OutputFile::fail_with(int number, const char* what) const {
  fail(Errc::kDevice, "cannot {} {}: {}", what, path_, std::generic_category().message(number));
}

}  // namespace skald
