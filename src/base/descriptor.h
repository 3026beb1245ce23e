// Descriptor: a file descriptor that is closed at its end.
#pragma once

#include <unistd.h>

namespace skald {

class Descriptor {
 public:
  /// Less than 0: of no file.
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace skald
