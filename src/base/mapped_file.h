// FileBytes: a whole file as read-only bytes, mapped or read into memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "skald/types.h"

namespace skald {

/// The bytes begin at a page boundary. A mapped file must not be cut short while it is in use: touching pages that are gone
/// is a SIGBUS. Nothing here catches it (a handler may ask mapped_file_at); kRead is safe from it.
class FileBytes {
 public:
  enum class How { kMap, kRead };

  /// Throws kNotFound when the file cannot be opened, kBadFile when it is not a regular file, kDevice when reading fails,
  /// kNoMemory when it does not fit. `on_progress` is called for kRead only.
  static FileBytes open(const std::string& path, How how, const OnProgress& on_progress = {});

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  ~FileBytes();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  FileBytes() = default;

  std::byte* data_ = nullptr;  // pages of our own or of the mapping; null when the file is empty
  size_t size_ = 0;
};

/// Returns the path of the mapped file in whose pages `address` lies; nullptr for none, and for all but the first 256 that
/// are mapped at a time. For handlers of signals: takes no lock and no memory.
const char* mapped_file_at(const void* address);

}  // namespace skald
