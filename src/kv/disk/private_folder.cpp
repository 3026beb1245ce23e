#include "kv/disk/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file_system.h"

namespace skald {
namespace {

constexpr mode_t kFolderMode = 0700, kFileMode = 0600;
constexpr int64_t kNanoseconds = 1'000'000'000;

std::string text_of(int number) { return std::generic_category().message(number); }

std::array<timespec, 2> times(int64_t changed) {
  const timespec at{.tv_sec = changed / kNanoseconds, .tv_nsec = changed % kNanoseconds};
  return {timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, at};
}

bool read_all(int fd, std::span<std::byte> bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

// An errno, 0 when all is written.
int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return 0;
}

int make_folder(const std::string& path) {
  std::error_code ignored;  // mkdir says what is wrong
  const std::filesystem::path parent = std::filesystem::path(path).lexically_normal().parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
  return ::mkdir(path.c_str(), kFolderMode) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace

PrivateFolder::PrivateFolder(const std::string& path) : path_(path) {
  if (const int number = make_folder(path)) fail(Errc::kDevice, "{}: cannot be made: {}", path, text_of(number));
  fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) fail(Errc::kDevice, "{}: cannot be opened: {}", path, text_of(errno));
  if (::faccessat(fd_, ".", R_OK | W_OK | X_OK, AT_EACCESS) == 0) return;
  const int number = errno;
  ::close(fd_);
  fail(Errc::kDevice, "{}: cannot be written to: {}", path, text_of(number));
}

PrivateFolder::~PrivateFolder() { ::close(fd_); }

// Some file systems have no locks: there the user has to see to it.
void PrivateFolder::lock() {
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) fail(Errc::kBusy, "{}: another program uses it", path_);
    return;
  }
}

std::vector<PrivateFolder::File> PrivateFolder::files() const {
  const int fd = ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> folder(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
  if (!folder) {
    const int number = errno;
    if (fd >= 0) ::close(fd);
    fail(Errc::kDevice, "{}: cannot be read: {}", path_, text_of(number));
  }
  std::vector<File> out;
  while (const dirent* entry = ::readdir(folder.get())) {
    struct stat s {};
    if (::fstatat(fd_, entry->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode))
      out.push_back({entry->d_name, s.st_size, changed_at(s)});
  }
  return out;
}

// Without waiting for a writer to a pipe of this name.
std::optional<std::vector<std::byte>> PrivateFolder::read(const std::string& name, int64_t most) const {
  const Descriptor file(::openat(fd_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat s {};
  if (file.get() < 0 || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_size > most) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(s.st_size));
  if (!read_all(file.get(), bytes)) return {};
  return bytes;
}

void PrivateFolder::write(const std::string& name, std::initializer_list<std::span<const std::byte>> pieces,
                          int64_t changed) const {
  const std::string unfinished = name + std::string(kUnfinished);
  const auto fail_with = [&](int number) {
    ::unlinkat(fd_, unfinished.c_str(), 0);
    fail(Errc::kDevice, "{}/{}: cannot be written: {}", path_, name, text_of(number));
  };
  remove(unfinished);
  {
    const Descriptor file(
        ::openat(fd_, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
    if (file.get() < 0) fail_with(errno);
    for (const std::span<const std::byte> piece : pieces)
      if (const int number = write_all(file.get(), piece)) fail_with(number);
    if (changed) ::futimens(file.get(), times(changed).data());
  }
  if (::renameat(fd_, unfinished.c_str(), fd_, name.c_str()) != 0) fail_with(errno);
}

void PrivateFolder::set_changed(const std::string& name, int64_t changed) const {
  ::utimensat(fd_, name.c_str(), times(changed).data(), AT_SYMLINK_NOFOLLOW);
}

void PrivateFolder::remove(const std::string& name) const { ::unlinkat(fd_, name.c_str(), 0); }

bool PrivateFolder::has(const std::string& name) const {
  struct stat s {};
  return ::fstatat(fd_, name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode);
}

}  // namespace skald
