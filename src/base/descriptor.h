// Descriptor: a file descriptor that is closed at its end.
#pragma once

#include <unistd.h>

#include <utility>

namespace skald {

class Descriptor {
 public:
  /// Less than 0: of no file.
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }
  /// It is the caller's to close.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace skald
