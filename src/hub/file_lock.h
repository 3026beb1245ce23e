// FileLock: a file that one process at a time holds, as Python's filelock does on Unix, which huggingface_hub uses:
// flock(2).
#pragma once

#include <functional>
#include <string>

namespace skald {

class FileLock {
 public:
  /// Waits until no other process holds it; `waiting` is called several times a second meanwhile, and may throw. The file
  /// stays. Throws kDevice where it cannot be made.
  FileLock(std::string path, const std::function<void()>& waiting);
  ~FileLock();
  FileLock(FileLock&&) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Tells whether a process holds it.
  static bool is_held(const std::string& path);

 private:
  int fd_ = -1;
};

}  // namespace skald
