// FileBytes on POSIX: a private read-only mapping, or anonymous pages that the file is read into.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/paging.h"
#include "base/signal_paths.h"

namespace skald {
namespace {

std::string error_text(int number) { return std::generic_category().message(number); }

// The size of the regular file of fd.
size_t regular_size(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail(Errc::kDevice, "cannot inspect {}: {}", path, error_text(errno));
  if (S_ISDIR(info.st_mode)) fail(Errc::kBadFile, "cannot read {}: it is a directory", path);
  if (!S_ISREG(info.st_mode)) fail(Errc::kBadFile, "cannot read {}: it is not a regular file", path);
  return static_cast<size_t>(info.st_size);
}

// `size` bytes (> 0) of address space: the file's pages, or anonymous ones when fd is -1.
std::byte* map_pages(size_t size, int fd, const std::string& path) {
  const bool anonymous = fd < 0;
  void* pages = ::mmap(nullptr, size, anonymous ? PROT_READ | PROT_WRITE : PROT_READ,
                       anonymous ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, 0);
  if (pages != MAP_FAILED) return static_cast<std::byte*>(pages);
  const int number = errno;
  fail(number == ENOMEM ? Errc::kNoMemory : Errc::kDevice, "cannot {} {} ({} bytes): {}",
       anonymous ? "get memory for" : "map", path, size, error_text(number));
}

void read_all(int fd, std::byte* to, size_t size, const std::string& path, const OnProgress& on_progress) {
  // One read call moves at most 0x7ffff000 bytes on Linux; smaller steps also leave room for an interrupt.
  constexpr size_t kStep = size_t{1} << 26;
  const auto tell = [&](size_t done) {
    if (on_progress) on_progress(static_cast<int64_t>(done), static_cast<int64_t>(size));
  };
  tell(0);
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::read(fd, to + done, std::min(kStep, size - done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(Errc::kDevice, "cannot read {} at byte {}: {}", path, done, error_text(errno));
    if (got == 0) fail(Errc::kDevice, "cannot read {}: it ended at byte {} of {}", path, done, size);
    done += static_cast<size_t>(got);
    tell(done);
  }
}

SignalPaths g_mapped;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): for handlers of signals

}  // namespace

const char* mapped_file_at(const void* address) { return g_mapped.at(address); }

FileBytes FileBytes::open(const std::string& path, How how, const OnProgress& on_progress) {
  // O_NONBLOCK: opening a fifo without a writer would wait for ever; regular files do not notice.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail(Errc::kNotFound, "cannot open {}: {}", path, error_text(errno));

  FileBytes out;
  out.size_ = regular_size(file.get(), path);
  if (out.size_ == 0) return out;  // an empty mapping is refused by the system
  if (how == How::kMap) {
    out.data_ = map_pages(out.size_, file.get(), path);
    // A loader goes through the file once from front to back: read further ahead.
    expect_reading_through(out.bytes());
    want_huge_pages(out.bytes());
    g_mapped.add(out.data_, out.size_, path);
  } else {
    out.data_ = map_pages(out.size_, -1, path);
    // A caller that asks for a copy reads it over and over: fewer TLB misses with huge pages.
    want_huge_pages(out.bytes());
    read_all(file.get(), out.data_, out.size_, path, on_progress);
  }
  return out;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

FileBytes::~FileBytes() {
  if (!data_) return;
  g_mapped.remove(data_);
  ::munmap(data_, size_);
}

}  // namespace skald
