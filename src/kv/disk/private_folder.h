// PrivateFolder: a folder of files that no other user may read, which are written as a whole or not at all. Links in it are
// not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

class PrivateFolder {
 public:
  struct File {
    std::string name;
    int64_t bytes = 0;
    int64_t changed = 0;  // nanoseconds since 1970
  };

  /// Makes the folder (mode 0700), and those that it lies in, where it is not there. Throws kDevice naming it where it
  /// cannot be used.
  explicit PrivateFolder(const std::string& path);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  /// No other process can have it then, as long as this object is there. Throws kBusy where one has.
  void lock();
  /// Regular files.
  std::vector<File> files() const;

  /// The whole of a regular file of at most `most` bytes. None where there is no such file.
  std::optional<std::vector<std::byte>> read(const std::string& name, int64_t most) const;
  /// In place of what is there: pieces, one after the other. `changed`: nanoseconds since 1970, 0: now. Throws kDevice.
  void write(const std::string& name, std::initializer_list<std::span<const std::byte>> pieces, int64_t changed = 0) const;
  /// Harmless where it is not there.
  void set_changed(const std::string& name, int64_t changed) const;
  /// A regular file or a link; harmless where it is not there.
  void remove(const std::string& name) const;
  bool has(const std::string& name) const;

  /// write() writes here first.
  static constexpr std::string_view kUnfinished = ".unfinished";

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace skald
