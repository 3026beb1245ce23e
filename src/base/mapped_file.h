// FileBytes: a whole file as read-only bytes, mapped or read into memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace skald {

/// The bytes begin at a page boundary. A mapped file must not be cut short while it is in use: touching pages that are gone
/// is a SIGBUS, which nothing here catches; kRead is safe from that.
class FileBytes {
 public:
  enum class How { kMap, kRead };

  /// Throws kNotFound when the file cannot be opened, kBadFile when it is not a regular file, kDevice when reading fails,
  /// kNoMemory when it does not fit.
  static FileBytes open(const std::string& path, How how);

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  ~FileBytes();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  FileBytes() = default;

  std::byte* data_ = nullptr;  // pages of our own or of the mapping; null when the file is empty
  size_t size_ = 0;
};

}  // namespace skald
