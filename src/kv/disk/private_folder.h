// PrivateFolder: a folder of files that no other user may read, which are written as a whole or not at all. Several
// processes may use one at the same time. Links in it are not followed.
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
  /// Of a regular file.
  struct File {
    int64_t bytes = 0;
    int64_t changed = 0;  // nanoseconds since 1970

    friend bool operator==(const File&, const File&) = default;
  };
  struct Content {
    File file;
    std::optional<std::vector<std::byte>> bytes;  // none where they cannot be read, or are too many
  };

  /// Makes the folder (mode 0700), and those that it lies in, where it is not there. Throws kDevice naming it where it
  /// cannot be used.
  explicit PrivateFolder(const std::string& path);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Of files of any kind.
  std::vector<std::string> names() const;
  /// None where there is no regular file of this name.
  std::optional<File> about(const std::string& name) const;
  /// As about(), with the state that the file has now where a file system may tell an older one (NFS).
  std::optional<File> about_now(const std::string& name) const;

  /// The whole of a regular file of at most `most` bytes. None where there is no such file.
  std::optional<Content> open(const std::string& name, int64_t most) const;
  /// Of open() the bytes.
  std::optional<std::vector<std::byte>> read(const std::string& name, int64_t most) const;
  /// In place of what is there: pieces, one after the other. `changed`: nanoseconds since 1970, 0: now. One thread of an
  /// object at a time writes a name. Throws kDevice.
  void write(const std::string& name, std::initializer_list<std::span<const std::byte>> pieces, int64_t changed = 0) const;
  /// Harmless where it is not there.
  void set_changed(const std::string& name, int64_t changed) const;
  /// A regular file or a link; harmless where it is not there.
  void remove(const std::string& name) const;
  /// Removes a file that is still the one that open() told of, by its size and time. False where it is gone, or another one
  /// is in its place.
  bool remove_same(const std::string& name, const File& file) const;

  /// The name that a file is to have which write() has begun: "x" of "x.0123456789abcdef.unfinished". None for others.
  static std::optional<std::string_view> unfinished(std::string_view name);
  /// Removes a file that write() has begun, where its process died: it did not change for kAbandoned. A process that still
  /// writes it fails to, and nothing else happens.
  void remove_abandoned(const std::string& name) const;

  /// A file takes well below a second to write, and clocks of machines differ by seconds.
  static constexpr int64_t kAbandoned = int64_t{3600} * 1'000'000'000;

 private:
  std::string path_, own_ending_;
  int fd_ = -1;
};

}  // namespace skald
