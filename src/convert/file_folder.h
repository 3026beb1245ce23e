// FileFolder: the files of a folder that others made: a model or an adapter, as Hugging Face keeps it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

class FileFolder {
 public:
  /// Throws kNotFound for a path that is no folder.
  explicit FileFolder(std::string path);

  const std::string& path() const { return path_; }
  /// Returns the folder's own name, or in the hub's cache the model's.
  std::string folder_name() const;

  bool has(std::string_view file) const;
  /// Returns the names of its files, sorted.
  std::vector<std::string> files() const;
  /// Throws kBadFile where a file is Git's pointer to a large one that was not fetched.
  void refuse_pointer(std::string_view file) const;
  /// Returns where a file of this folder is. Throws kBadFile for a name that would lead out of it.
  std::string file_path(std::string_view file) const;
  /// Reads the file's bytes. Throws kNotFound when it is not there, kBadFile when it is longer than `max_bytes`.
  std::string read(std::string_view file, int64_t max_bytes = kMaxBytes) const;
  /// Throws as read(), and kBadFile for a file that is not JSON; both name the file.
  nlohmann::json read_json(std::string_view file) const;

  static constexpr int64_t kMaxBytes = int64_t{1} << 29;  // well above the largest tokenizers and indices

 private:
  std::string path_;
};

}  // namespace skald
