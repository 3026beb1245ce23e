#include "kv/disk/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file_system.h"

namespace skald {
namespace {

constexpr mode_t kFolderMode = 0700, kFileMode = 0600;
constexpr int64_t kNanoseconds = 1'000'000'000;
constexpr std::string_view kUnfinished = ".unfinished";
constexpr size_t kDigits = 16;  // of a process's own

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

// Without waiting for a writer to a pipe of this name.
Descriptor open_file(int folder, const std::string& name) {
  return Descriptor(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

std::optional<PrivateFolder::File> about_open(const Descriptor& file) {
  struct stat s {};
  if (file.get() < 0 || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode)) return {};
  return PrivateFolder::File{s.st_size, changed_at(s)};
}

// No other process has it: two may write the same file.
std::string new_ending() {
  std::random_device random;
  const uint64_t number = uint64_t{random()} << 32 | random();
  return fmt::format(".{:0{}x}{}", number, kDigits, kUnfinished);
}

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

PrivateFolder::PrivateFolder(const std::string& path) : path_(path), own_ending_(new_ending()) {
  if (const int number = make_folder(path)) fail(Errc::kDevice, "{}: cannot be made: {}", path, text_of(number));
  fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) fail(Errc::kDevice, "{}: cannot be opened: {}", path, text_of(errno));
  if (::faccessat(fd_, ".", R_OK | W_OK | X_OK, AT_EACCESS) == 0) return;
  const int number = errno;
  ::close(fd_);
  fail(Errc::kDevice, "{}: cannot be written to: {}", path, text_of(number));
}

PrivateFolder::~PrivateFolder() { ::close(fd_); }

std::vector<std::string> PrivateFolder::names() const {
  const int fd = ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> folder(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
  if (!folder) {
    const int number = errno;
    if (fd >= 0) ::close(fd);
    fail(Errc::kDevice, "{}: cannot be read: {}", path_, text_of(number));
  }
  std::vector<std::string> out;
  while (const dirent* entry = ::readdir(folder.get()))
    if (const std::string_view name = entry->d_name; name != "." && name != "..") out.emplace_back(name);
  return out;
}

std::optional<PrivateFolder::File> PrivateFolder::about(const std::string& name) const {
  struct stat s {};
  if (::fstatat(fd_, name.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) return {};
  return File{s.st_size, changed_at(s)};
}

// To open a file makes NFS ask for its state.
std::optional<PrivateFolder::File> PrivateFolder::about_now(const std::string& name) const {
  const Descriptor file = open_file(fd_, name);
  return about_open(file);
}

std::optional<PrivateFolder::Content> PrivateFolder::open(const std::string& name, int64_t most) const {
  const Descriptor file = open_file(fd_, name);
  const std::optional<File> about = about_open(file);
  if (!about) return {};
  if (about->bytes > most) return Content{*about, {}};
  std::vector<std::byte> bytes(static_cast<size_t>(about->bytes));
  if (!read_all(file.get(), bytes)) return Content{*about, {}};
  return Content{*about, std::move(bytes)};
}

std::optional<std::vector<std::byte>> PrivateFolder::read(const std::string& name, int64_t most) const {
  std::optional<Content> content = open(name, most);
  return content ? std::move(content->bytes) : std::nullopt;
}

void PrivateFolder::write(const std::string& name, std::initializer_list<std::span<const std::byte>> pieces,
                          int64_t changed) const {
  const std::string unfinished = name + own_ending_;
  const auto fail_with = [&](int number) {
    ::unlinkat(fd_, unfinished.c_str(), 0);
    fail(Errc::kDevice, "{}/{}: cannot be written: {}", path_, name, text_of(number));
  };
  Descriptor file(::openat(fd_, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (file.get() < 0) fail_with(errno);
  for (const std::span<const std::byte> piece : pieces)
    if (const int number = write_all(file.get(), piece)) fail_with(number);
  if (changed) ::futimens(file.get(), times(changed).data());
  if (::close(file.release()) != 0) fail_with(errno);  // NFS tells here that a disk is full
  if (::renameat(fd_, unfinished.c_str(), fd_, name.c_str()) != 0) fail_with(errno);
}

void PrivateFolder::set_changed(const std::string& name, int64_t changed) const {
  ::utimensat(fd_, name.c_str(), times(changed).data(), AT_SYMLINK_NOFOLLOW);
}

void PrivateFolder::remove(const std::string& name) const { ::unlinkat(fd_, name.c_str(), 0); }

bool PrivateFolder::remove_same(const std::string& name, const File& file) const {
  return about_now(name) == file && ::unlinkat(fd_, name.c_str(), 0) == 0;
}

std::optional<std::string_view> PrivateFolder::unfinished(std::string_view name) {
  constexpr size_t kEnding = 1 + kDigits + kUnfinished.size();
  if (name.size() <= kEnding || !name.ends_with(kUnfinished)) return {};
  const std::string_view ending = name.substr(name.size() - kEnding);
  if (!ending.starts_with('.') || !std::ranges::all_of(ending.substr(1, kDigits), is_digit)) return {};
  return name.substr(0, name.size() - kEnding);
}

void PrivateFolder::remove_abandoned(const std::string& name) const {
  const std::optional<File> file = about_now(name);
  const int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  if (file && now - file->changed > kAbandoned) remove(name);
}

}  // namespace skald
