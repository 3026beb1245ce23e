// IncompleteFile: the beginning of a content on the disk, which grows until it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "hub/hasher.h"

namespace skald {

class IncompleteFile {
 public:
  /// Goes on with the file at `path`, which is read for its sum, or begins one. `size` and `blob`: how long the whole
  /// content is, and its sum. `progress` hears how many bytes were read, and may throw. Throws kDevice.
  IncompleteFile(std::string path, int64_t size, std::string blob, const std::function<void(int64_t)>& progress);
  ~IncompleteFile();
  IncompleteFile(const IncompleteFile&) = delete;
  IncompleteFile& operator=(const IncompleteFile&) = delete;

  int64_t length() const { return length_; }
  bool is_whole() const { return length_ == size_; }

  /// Appends. Throws kBadFile for more than the content has, kDevice.
  void write(std::span<const std::byte> bytes);
  /// Drops the bytes that are there.
  void clear();
  /// Returns whether the bytes that are there have the sum. Call it once, when the content is whole.
  bool has_sum() { return hasher_.finish() == blob_; }
  /// Brings it to the disk and renames it. Throws kDevice.
  void commit(const std::string& target);
  /// Removes it.
  void remove();

 private:
  [[noreturn]] void fail_with(const char* what) const;
  void read_earlier(const std::function<void(int64_t)>& progress);

  std::string path_;
  int64_t size_;
  std::string blob_;
  int fd_ = -1;
  int64_t length_ = 0;
  Hasher hasher_;
};

}  // namespace skald
