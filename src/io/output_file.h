// OutputFile: a file that appears under its name only once it is complete and on the disk.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace skald {

/// Tells whether both are there and the same file, by any names.
bool same_file(const std::string& a, const std::string& b);

/// Returns the target of `path`: for a symbolic link the file that it names, there or not. Throws kBadInput for links that
/// lead to each other.
std::string resolve_links(const std::string& path);

/// Writes to a temporary file beside the target; commit() renames it. Without commit() nothing is left. A symbolic link is
/// written through, and a file that is replaced keeps its mode.
class OutputFile {
 public:
  /// Throws kNotFound when the folder does not exist, kBadInput when `path` is empty or there and not a regular file,
  /// kDevice when the system refuses.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }

  /// Appends. Throws kDevice (no space, quota, I/O error).
  void write(std::span<const std::byte> bytes);

  /// Flushes to the disk and closes. Of several files that belong together, all do so before the first of them is renamed.
  /// Nothing more can be written. Throws kDevice.
  void finish();

  /// Finishes, where that was not done, and renames. Throws kDevice; call it once, last.
  void commit();

 private:
  [[noreturn]] void fail_with(int number, const char* what) const;
  void create();
  void keep_mode() const;

  std::string path_;
  std::string temporary_;  // empty once it is renamed
  int fd_ = -1;
};

}  // namespace skald
